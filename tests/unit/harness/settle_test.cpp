// SPDX-License-Identifier: Apache-2.0
#include "harness/engine/settle.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <functional>
#include <thread>

namespace esox {
namespace {

using std::chrono::milliseconds;

// A process of our own that does as it is told until it is killed.
class Child {
 public:
  explicit Child(const std::function<void()>& work) : pid_(fork()) {
    if (pid_ != 0) return;
    work();
    _exit(0);
  }
  ~Child() { end(); }
  void end() {
    if (pid_ <= 1) return;
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
    pid_ = -1;
  }
  pid_t pid() const { return pid_; }

 private:
  pid_t pid_;
};

[[noreturn]] void spin() {
  for (volatile uint64_t turns = 0;;) turns = turns + 1;
}

void sleep_for_ever() {
  while (true) pause();
}

TEST(Settle, SaysThatAProcessRestsWhoseThreadsAllSleep) {
  const Child child([] {
    std::thread other(sleep_for_ever);
    sleep_for_ever();
  });
  EXPECT_TRUE(settle(child.pid(), milliseconds(60'000)));
}

TEST(Settle, NeverSaysSoWhileOneOfThemRuns) {
  const Child child([] {
    std::thread other(spin);
    sleep_for_ever();
  });
  EXPECT_FALSE(settle(child.pid(), milliseconds(200)));
}

// Each sleeps most of the time, but never all at one moment.
TEST(Settle, IsNotTakenInByThreadsThatWakeEachOther) {
  const Child child([] {
    static std::atomic<int> turn{0};
    const auto play = [](int own) {
      while (true) {
        turn.wait(1 - own);
        turn.store(1 - own);
        turn.notify_all();
      }
    };
    std::thread other(play, 1);
    play(0);
  });
  EXPECT_FALSE(settle(child.pid(), milliseconds(200)));
}

TEST(Settle, ComesToAnEndWithAProcessThatIsGone) {
  Child child(sleep_for_ever);
  const pid_t pid = child.pid();
  EXPECT_TRUE(settle(pid, milliseconds(60'000)));
  child.end();
  EXPECT_FALSE(settle(pid, milliseconds(20)));
}

}  // namespace
}  // namespace esox
