// SPDX-License-Identifier: Apache-2.0
// A child that was rewound is as one that was forked just now, whatever it had done; or it says why
// it cannot be, and another one is forked.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <linux/userfaultfd.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <sys/uio.h>

#include <fstream>

#include "harness/engine/snapshot/refused.h"
#include "tests/integration/snapshot_fixture.h"

namespace esox {
namespace {

using testing::HasSubstr;
using namespace std::chrono_literals;

constexpr auto kLimit = 20s;

class SnapshotRewindTest : public SnapshotProgramFixture {
 protected:
  void spoil_and_rewind(int times, SnapshotStep fail_at = SnapshotStep::kNone) {
    Child child = fork_rewindable(fail_at);
    for (int i = 0; i < times; ++i) {
      ASSERT_EQ(ask(child.client.get(), "spoil"), "1") << i;
      ASSERT_EQ(rewind(child), "") << i;
      ASSERT_EQ(ask(child.client.get(), "fd"), std::to_string(server_fd_)) << i;
    }
    EXPECT_EQ(ask(child.client.get(), "check"), "ok") << child.process->last_words();
  }

  void expect_refusal(const std::string& growth, const char* why) {
    park();
    {
      Child child = fork_rewindable();
      ASSERT_EQ(ask(child.client.get(), "grow " + growth), "grown");
      EXPECT_THAT(rewind(child), HasSubstr(why));
      EXPECT_TRUE(child.process->wait(kLimit));
    }
    expect_a_right_child();
  }

  static std::string maps_of(const Child& child, const char* file = "maps") {
    std::ifstream maps(fmt::format("/proc/{}/{}", child.process->pid(), file));
    return {std::istreambuf_iterator<char>(maps), {}};
  }

  // userfaultfd(2) as preload/snapshot/page_watch.cpp asks for it.
  static bool can_watch() {
    const UniqueFd fd(static_cast<int>(syscall(SYS_userfaultfd, O_CLOEXEC | UFFD_USER_MODE_ONLY)));
    uffdio_api wanted{};
    wanted.api = UFFD_API;
    wanted.features = (uint64_t{1} << 13) | (uint64_t{1} << 15);
    return fd && ioctl(fd.get(), UFFDIO_API, &wanted) == 0;
  }

  static bool is_watched(const Child& child) {
    return maps_of(child, "smaps").find(" uw ") != std::string::npos;
  }

  void lose_and_rewind(const std::string& what) {
    SCOPED_TRACE(what);
    copy_->become({folder_.path(), {}});
    Child child = fork_rewindable();
    ASSERT_EQ(rewind(child), "");
    for (int i = 0; i < 3; ++i) {
      ASSERT_EQ(ask(child.client.get(), "lose " + what), "lost");
      ASSERT_EQ(rewind(child), "");
      ASSERT_EQ(ask(child.client.get(), "whole"), "ok");
      ASSERT_EQ(rewind(child), "");
    }
    EXPECT_EQ(ask(child.client.get(), "check"), "ok") << child.process->last_words();
  }

  // Wherever huge pages fit; where the kernel cannot, it leaves all as it is.
  static void collapse_all(int pidfd, pid_t pid) {
    constexpr uint64_t kHuge = uint64_t{1} << 21;
    constexpr int kCollapse = 25;  // MADV_COLLAPSE
    std::ifstream maps(fmt::format("/proc/{}/maps", pid));
    for (std::string line; std::getline(maps, line);) {
      uint64_t begin = 0, end = 0;
      char access[5] = {};
      if (sscanf(line.c_str(), "%lx-%lx %4s", &begin, &end, access) != 3) continue;
      begin = (begin + kHuge - 1) / kHuge * kHuge;
      if (access[1] != 'w' || access[3] != 'p') continue;
      for (int i = 0; i < 4 && begin + kHuge <= end; ++i, begin += kHuge) {
        iovec where{reinterpret_cast<void*>(begin), kHuge};
        syscall(SYS_process_madvise, pidfd, &where, 1, kCollapse, 0);
      }
    }
  }

  void expect_a_right_child() {
    copy_->become({folder_.path(), {}});
    Child child = fork_rewindable();
    ASSERT_EQ(rewind(child), "");
    EXPECT_EQ(ask(child.client.get(), "check"), "ok") << template_->last_words();
  }
};

TEST_F(SnapshotRewindTest, AChildIsAsAtItsBirthAHundredTimesWhateverItDid) {
  park();
  spoil_and_rewind(100);
}

TEST_F(SnapshotRewindTest, SoakAChildIsAsAtItsBirthAThousandTimesWhateverItDid) {
  park();
  spoil_and_rewind(1000);
}

TEST_F(SnapshotRewindTest, AChildCanBeRewoundAsSoonAsItLives) {
  park();
  Child child = fork_rewindable();
  for (int i = 0; i < 500; ++i) ASSERT_EQ(rewind(child), "") << i;
  EXPECT_EQ(ask(child.client.get(), "check"), "ok") << child.process->last_words();
}

TEST_F(SnapshotRewindTest, NewConnectionsWorkInARewoundChild) {
  park();
  Child child = fork_rewindable();
  ASSERT_EQ(rewind(child), "");
  const UniqueFd second =
      connect_to(fmt::format("/proc/self/fd/{}/0/socket", enclosure_.store_fd()));
  ASSERT_TRUE(second);
  EXPECT_NE(ask(second.get(), "fd"), std::to_string(server_fd_));
}

TEST_F(SnapshotRewindTest, ThreadsThatAChildHasMadeEndWithItsLife) {
  park();
  Child child = fork_rewindable();
  for (int i = 0; i < 20; ++i) {
    ASSERT_EQ(ask(child.client.get(), "grow thread"), "grown");
    ASSERT_EQ(ask(child.client.get(), "grow thread"), "grown");
    ASSERT_EQ(rewind(child), "") << i;
  }
  EXPECT_EQ(ask(child.client.get(), "check"), "ok") << child.process->last_words();
}

TEST_F(SnapshotRewindTest, AChildThatHasSharedMemoryOfItsOwnIsNotRewound) {
  expect_refusal("shared", "shared memory was mapped: 32 KiB");
}

TEST_F(SnapshotRewindTest, AChildWithAProcessOfItsOwnIsNotRewound) {
  expect_refusal("process", "it has timers or processes of its own");
}

TEST_F(SnapshotRewindTest, AChildWithATimerOfItsOwnIsNotRewound) {
  expect_refusal("timer", "it has timers or processes of its own");
}

TEST_F(SnapshotRewindTest, AChildThatCanWriteToItsConstantsIsNotRewound) {
  expect_refusal("constants", "read-only or guarded memory was given back or made writable");
}

TEST_F(SnapshotRewindTest, AChildThatGaveBackAFilesMemoryIsNotRewound) {
  expect_refusal("hole", "read-only or guarded memory was given back or made writable: 4 KiB");
}

TEST_F(SnapshotRewindTest, WhateverLiesElsewhereOrIsProtectedOtherwiseIsAsAtBirth) {
  park();
  Child child = fork_rewindable();
  ASSERT_EQ(rewind(child), "");
  const std::string at_birth = maps_of(child);
  ASSERT_THAT(at_birth, HasSubstr("esox-memory"));
  for (const char* what :
       {"more", "beside", "elsewhere", "hole", "large-hole", "variables-hole", "replaced", "moved",
        "shrunk", "read-only", "shut", "code", "opened", "constants-shut", "break", "stack"}) {
    SCOPED_TRACE(what);
    ASSERT_EQ(ask(child.client.get(), std::string("map ") + what), "mapped");
    EXPECT_NE(maps_of(child), at_birth);
    ASSERT_EQ(rewind(child), "");
    ASSERT_EQ(ask(child.client.get(), "fd"), std::to_string(server_fd_));
    EXPECT_EQ(maps_of(child), at_birth);
    EXPECT_EQ(ask(child.client.get(), "whole"), "ok");
    ASSERT_EQ(rewind(child), "");
  }
  EXPECT_EQ(ask(child.client.get(), "check"), "ok") << child.process->last_words();
}

// No page is written to, so none is the child's own; and no page fault tells of it.
TEST_F(SnapshotRewindTest, WhatAChildHasGivenBackIsThereInItsNextLife) {
  park();
  Child child = fork_rewindable();
  for (const char* what : {"pages", "mapping", "signal", "pages"}) {
    SCOPED_TRACE(what);
    ASSERT_EQ(ask(child.client.get(), std::string("lose ") + what), "lost");
    ASSERT_EQ(rewind(child), "");
    ASSERT_EQ(ask(child.client.get(), "whole"), "ok");
    ASSERT_EQ(rewind(child), "");
    ASSERT_EQ(ask(child.client.get(), "whole"), "ok");
  }
  EXPECT_EQ(ask(child.client.get(), "check"), "ok") << child.process->last_words();
}

// The break moves over what had been moved into a file.
TEST_F(SnapshotRewindTest, ATrimmedHeapIsWholeAgain) {
  park();
  Child child = fork_rewindable();
  ASSERT_EQ(ask(child.client.get(), "lose heap"), "lost");
  ASSERT_EQ(rewind(child), "");
  EXPECT_EQ(ask(child.client.get(), "whole"), "ok");
  ASSERT_EQ(rewind(child), "");
  EXPECT_EQ(ask(child.client.get(), "check"), "ok") << child.process->last_words();
}

// What was there was never written to in any life of the child, and lies beside what a setup has
// not changed.
TEST_F(SnapshotRewindTest, WhatAChildOfASetUpTemplateHasGivenBackIsThereInItsNextLife) {
  park();
  park_again("fill");
  for (const char* what : {"pages", "mapping", "other-heap", "heap-inside", "heap"})
    lose_and_rewind(what);
}

TEST_F(SnapshotRewindTest, AChildIsWatchedFromItsSecondLifeOnWhereTheKernelCan) {
  if (!can_watch()) GTEST_SKIP() << "this kernel cannot";
  park();
  Child child = fork_rewindable();
  EXPECT_FALSE(is_watched(child));
  for (int i = 0; i < 3; ++i) {
    ASSERT_EQ(rewind(child), "");
    EXPECT_TRUE(is_watched(child));
  }
}

TEST_F(SnapshotRewindTest, AChildThatCannotBeWatchedIsAsAtItsBirthWhateverItDid) {
  park();
  spoil_and_rewind(30, SnapshotStep::kMemory);
  copy_->become({folder_.path(), {}});
  Child child = fork_rewindable(SnapshotStep::kMemory);
  ASSERT_EQ(rewind(child), "");
  EXPECT_FALSE(is_watched(child));
}

// As the kernel does by itself where huge pages are always wanted (khugepaged).
TEST_F(SnapshotRewindTest, PagesThatBecomeAHugeOneAreCopiedBack) {
  park();
  Child child = fork_rewindable();
  ASSERT_EQ(ask(child.client.get(), "spoil"), "1");
  collapse_all(child.process->pidfd(), child.process->pid());
  for (int i = 0; i < 3; ++i) {
    ASSERT_EQ(rewind(child), "");
    ASSERT_EQ(ask(child.client.get(), "whole"), "ok");
    ASSERT_EQ(ask(child.client.get(), "spoil"), "1");
  }
  ASSERT_EQ(rewind(child), "");
  EXPECT_EQ(ask(child.client.get(), "check"), "ok") << child.process->last_words();
}

TEST_F(SnapshotRewindTest, ThreadsOfAChildThatHaveEndedAreThereInItsNextLife) {
  park();
  Child child = fork_rewindable();
  for (int i = 0; i < 20; ++i) {
    ASSERT_EQ(ask(child.client.get(), "check"), "ok") << i;
    ASSERT_EQ(rewind(child), "") << i;
  }
}

// Their numbers are free then, and all threads are told apart by these.
TEST_F(SnapshotRewindTest, AThreadIsNotTakenForOneThatHasEnded) {
  park();
  Child child = fork_rewindable();
  for (int i = 0; i < 5; ++i) {
    ASSERT_EQ(ask(child.client.get(), "check"), "ok") << i;
    for (int made = 0; made < 40; ++made) {
      ASSERT_EQ(ask(child.client.get(), "grow thread"), "grown");
    }
    ASSERT_EQ(rewind(child), "") << i;
  }
  EXPECT_EQ(ask(child.client.get(), "check"), "ok") << child.process->last_words();
}

TEST_F(SnapshotRewindTest, AChildThatDiesBeforeItIsRewoundIsLostAndTheTemplateGoesOn) {
  park();
  {
    Child child = fork_rewindable();
    ASSERT_EQ(syscall(SYS_pidfd_send_signal, child.process->pidfd(), SIGKILL, nullptr, 0), 0);
    EXPECT_THROW(rewind(child), TemplateLost);
  }
  expect_a_right_child();
}

TEST_F(SnapshotRewindTest, AFileThatIsGoneEndsTheChildThatNamesIt) {
  park();
  {
    Child child = fork_rewindable();
    child.process->begin_rewind();
    std::string why;
    ASSERT_TRUE(child.process->end_rewind(why)) << why;
    ASSERT_TRUE(std::filesystem::remove(copy_->folder() / "position"));
    auto [ours, theirs] = socket_pair();
    SnapshotProcess::Fork life;
    life.sockets = {theirs.get()};
    child.process->live_again(life);
    ASSERT_TRUE(child.process->wait(kLimit));
    EXPECT_THAT(child.process->last_words(), HasSubstr("position: No such file or directory"));
  }
  expect_a_right_child();
}

}  // namespace
}  // namespace esox
