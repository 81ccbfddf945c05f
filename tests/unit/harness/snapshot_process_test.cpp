// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>

#include "harness/engine/snapshot/process.h"

namespace esox {
namespace {

// A process that blocks the parking signal, as one does whose main thread is in its handler.
UniqueFd fork_blocking(pid_t& pid) {
  sigset_t park, before;
  sigemptyset(&park);
  sigaddset(&park, kParkSignal);
  sigprocmask(SIG_BLOCK, &park, &before);
  pid = fork();
  while (pid == 0) pause();
  sigprocmask(SIG_SETMASK, &before, nullptr);
  return UniqueFd(static_cast<int>(syscall(SYS_pidfd_open, pid, 0)));
}

bool is_pending(pid_t pid, const std::string& field) {
  std::ifstream status(fmt::format("/proc/{}/status", pid));
  for (std::string line; std::getline(status, line);) {
    if (!line.starts_with(field)) continue;
    return (std::stoull(line.substr(field.size()), nullptr, 16) >> (kParkSignal - 1) & 1u) != 0;
  }
  ADD_FAILURE() << "no " << field << " in the status of " << pid;
  return false;
}

// Sent to the process it would interrupt a call of another thread, which may end upon that.
TEST(SnapshotProcessTest, TheParkingSignalIsForTheMainThreadAlone) {
  auto [channel, end] = SnapshotChannel::make_pair();
  pid_t pid = 0;
  {
    SnapshotProcess process(fork_blocking(pid), SnapshotChannel(std::move(channel)));
    process.begin_rewind();
    EXPECT_TRUE(is_pending(pid, "SigPnd:"));
    EXPECT_FALSE(is_pending(pid, "ShdPnd:"));
  }
  EXPECT_EQ(waitpid(pid, nullptr, 0), pid);
}

}  // namespace
}  // namespace esox
