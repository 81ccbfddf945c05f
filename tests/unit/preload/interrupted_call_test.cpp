// SPDX-License-Identifier: Apache-2.0
#include <errno.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <functional>
#include <thread>
#include <vector>

#include "preload/protocol/snapshot.h"
#include "preload/snapshot/call_number.h"
#include "preload/snapshot/context.h"

namespace esox {
namespace {

// A thread that a signal interrupted behind `code`, whose end is the instruction "syscall".
class InterruptedCallTest : public testing::Test {
 protected:
  Interruption rewind(std::vector<uint8_t> code) {
    code.insert(code.begin(), 8, 0x90);  // what lies before is read, too
    code.insert(code.end(), {0x0f, 0x05});
    behind_ = reinterpret_cast<greg_t>(code.data() + code.size());
    registers()[REG_RIP] = behind_;
    registers()[REG_RAX] = -EINTR;
    return rewind_interrupted(context_, record_);
  }
  greg_t* registers() { return context_.uc_mcontext.gregs; }
  void expect_made_again(long number) {
    EXPECT_EQ(registers()[REG_RIP], behind_ - 2);
    EXPECT_EQ(registers()[REG_RAX], number);
    EXPECT_EQ(record_.number, number);
  }

  ucontext_t context_{};
  SyscallRecord record_;
  greg_t behind_ = 0;
};

TEST_F(InterruptedCallTest, IsToldByTheNumberThatTheCodeLoads) {
  ASSERT_EQ(rewind({0xb8, SYS_poll, 0, 0, 0}), Interruption::kRewound);
  expect_made_again(SYS_poll);
}

TEST_F(InterruptedCallTest, IsReadWhereTheCodeLoadsZero) {
  ASSERT_EQ(rewind({0x31, 0xc0}), Interruption::kRewound);
  expect_made_again(SYS_read);
}

TEST_F(InterruptedCallTest, IsUnknownWhereTheNumberComesFromElsewhere) {
  EXPECT_EQ(rewind({0x44, 0x89, 0xc0}), Interruption::kUnknown);               // mov %r8d, %eax
  EXPECT_EQ(rewind({0x41, 0xb8, SYS_poll, 0, 0, 0}), Interruption::kUnknown);  // mov $7, %r8d
  EXPECT_EQ(rewind({0x45, 0x31, 0xc0}), Interruption::kUnknown);               // xor %r8d, %r8d
  EXPECT_EQ(registers()[REG_RIP], behind_);
}

TEST_F(InterruptedCallTest, IsToldByARecordOfTheSamePlaceAndArguments) {
  record_.number = SYS_poll;
  record_.pc = 1;
  EXPECT_EQ(rewind({0x44, 0x89, 0xc0}), Interruption::kUnknown);
  std::vector<uint8_t> code(8, 0x90);
  code.insert(code.end(), {0x44, 0x89, 0xc0, 0x0f, 0x05});
  behind_ = reinterpret_cast<greg_t>(code.data() + code.size());
  registers()[REG_RIP] = behind_;
  registers()[REG_RDI] = 4711;
  record_.pc = static_cast<uint64_t>(behind_);
  EXPECT_EQ(rewind_interrupted(context_, record_), Interruption::kUnknown);
  record_.arguments[0] = 4711;
  ASSERT_EQ(rewind_interrupted(context_, record_), Interruption::kRewound);
  expect_made_again(SYS_poll);
}

// Calls of this machine's C library, whichever it is: what the context of a signal tells is what
// /proc told while they blocked.
class CallOfTheLibrary : public testing::TestWithParam<int> {
 protected:
  void SetUp() override {
#ifdef __SANITIZE_THREAD__
    GTEST_SKIP() << "the thread sanitizer puts handlers off";
#endif
    struct sigaction ours {};
    ours.sa_sigaction = on_signal;
    ours.sa_flags = SA_SIGINFO;
    sigfillset(&ours.sa_mask);
    sigaction(kParkSignal, &ours, nullptr);
    std::thread([] { raise(kParkSignal); }).join();  // beside this one: as where threads are
  }
  void TearDown() override {
    signal(kParkSignal, SIG_DFL);
  }

  static void on_signal(int, siginfo_t*, void* context) {
    const auto& interrupted = *static_cast<ucontext_t*>(context);
    if (is_trial(interrupted)) return;
    try_out_calls();
    told_ = number_on_stack(interrupted);
    if (told_ < 0) told_ = number_in_code(interrupted);
  }

  void expect_told(const char* name, const std::function<void()>& block) {
    SCOPED_TRACE(name);
    told_ = kNothing;
    std::atomic<uint32_t> tid{0};
    std::thread thread([&] {
      pthread_setcancelstate(GetParam(), nullptr);
      tid = static_cast<uint32_t>(syscall(SYS_gettid));
      block();
    });
    const SyscallRecord seen = await_blocked(tid);
    syscall(SYS_tgkill, getpid(), tid.load(), kParkSignal);
    thread.join();
    EXPECT_GE(seen.number, 0);
    EXPECT_EQ(told_, seen.number);
  }

  // In the same call at two looks, and not in one of what a thread does at first.
  static SyscallRecord await_blocked(const std::atomic<uint32_t>& tid) {
    SyscallRecord record;
    for (int same = 0, looks = 0; same < 3 && looks < 2'500; ++looks) {
      usleep(2'000);
      SyscallRecord now;
      const bool blocked = tid != 0 && read_syscall(tid, now);
      same = blocked && now.pc == record.pc && now.number == record.number ? same + 1 : 0;
      record = now;
    }
    return record;
  }

  static constexpr int64_t kNothing = -2;
  static inline std::atomic<int64_t> told_;
};

TEST_P(CallOfTheLibrary, IsToldByItsContext) {
  int pipe_ends[2], sockets[2];
  ASSERT_EQ(pipe(pipe_ends), 0);
  ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, sockets), 0);
  const int epoll = epoll_create1(0);
  sem_t semaphore;
  sem_init(&semaphore, 0, 0);
  char byte;
  epoll_event event;
  expect_told("read", [&] { EXPECT_EQ(read(pipe_ends[0], &byte, 1), -1); });
  expect_told("recv", [&] { EXPECT_EQ(recv(sockets[0], &byte, 1, 0), -1); });
  expect_told("poll", [&] { EXPECT_EQ(poll(nullptr, 0, -1), -1); });
  expect_told("epoll_wait", [&] { EXPECT_EQ(epoll_wait(epoll, &event, 1, -1), -1); });
  expect_told("sleep", [&] { EXPECT_NE(sleep(1'000), 0u); });
  expect_told("pause", [&] { EXPECT_EQ(pause(), -1); });
  expect_told("sem_wait", [&] { EXPECT_EQ(sem_wait(&semaphore), -1); });
  for (const int fd : {pipe_ends[0], pipe_ends[1], sockets[0], sockets[1], epoll}) close(fd);
}

INSTANTIATE_TEST_SUITE_P(Threads, CallOfTheLibrary,
                         testing::Values(PTHREAD_CANCEL_ENABLE, PTHREAD_CANCEL_DISABLE));

}  // namespace
}  // namespace esox
