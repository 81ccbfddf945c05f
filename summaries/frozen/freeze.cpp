// SPDX-License-Identifier: Apache-2.0
#include "summaries/frozen/freeze.h"

#include <fmt/format.h>
#include <signal.h>
#include <sys/ptrace.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <thread>
#include <vector>

#include "base/process/proc.h"
#include "base/text/number.h"
#include "summaries/frozen/errors.h"
#include "summaries/frozen/process_memory.h"

namespace esox {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::microseconds kSlice{20};
constexpr std::chrono::milliseconds kMostBetween{10};

std::vector<pid_t> threads_of(pid_t pid) {
  std::vector<pid_t> tids;
  std::error_code error;
  for (const auto& task :
       std::filesystem::directory_iterator(fmt::format("/proc/{}/task", pid), error)) {
    if (const auto tid = number_of<pid_t>(task.path().filename().string())) tids.push_back(*tid);
  }
  return tids;
}

// Waiting in a system call, from which the stop has taken it: the kernel's codes for "begin again"
// (include/linux/errno.h) or EINTR for the calls that are not begun again.
bool waits_in_call(pid_t tid) {
  constexpr long kRestart[] = {-EINTR, -512, -513, -514, -516};
  user_regs_struct registers{};
  if (ptrace(PTRACE_GETREGS, tid, nullptr, &registers) != 0) return true;  // it has ended
  if (static_cast<long>(registers.orig_rax) < 0) return false;
  const auto result = static_cast<long>(registers.rax);
  return std::ranges::find(kRestart, result) != std::end(kRestart);
}

bool is_our_child(pid_t pid) {
  return proc_field(fmt::format("/proc/{}/status", pid), "PPid") == std::to_string(getpid());
}

bool is_zombie(pid_t tid) {
  std::ifstream stat(fmt::format("/proc/{}/stat", tid));
  std::string text;
  std::getline(stat, text);
  const size_t close = text.rfind(')');
  return close == std::string::npos || close + 2 >= text.size() || text[close + 2] == 'Z' ||
         text[close + 2] == 'X';
}

}  // namespace

Freeze::Freeze(pid_t pid, FreezeLimits limits) : pid_(pid), limits_(limits) {
  if (pid <= 1 || pid == getpid()) {
    throw FrozenError(fmt::format("process {} cannot be frozen; name a server's process", pid));
  }
  try {
    auto between = std::chrono::microseconds(200);
    for (int attempt = 0; !stop_all(); ++attempt) {
      let_go();
      if (attempt == limits_.attempts) {
        throw FrozenError(fmt::format(
            "a thread of process {} never came to rest, so what it works on may be half done",
            pid_));
      }
      std::this_thread::sleep_for(between);
      between = std::min<std::chrono::microseconds>(between * 2, kMostBetween);
    }
  } catch (...) {
    let_go();
    throw;
  }
}

Freeze::~Freeze() {
  let_go();
}

// Threads that appear while others are being stopped are found by the next look; a look that finds
// none proves that all stand still.
bool Freeze::stop_all() {
  bool at_rest = true;
  while (stop_new(at_rest)) {
  }
  if (signals_.empty()) throw FrozenError(fmt::format("process {} is gone", pid_));
  return at_rest;
}

// True if there were some.
bool Freeze::stop_new(bool& at_rest) {
  std::vector<pid_t> fresh;
  for (const pid_t tid : threads_of(pid_)) {
    if (signals_.contains(tid)) continue;
    if (ptrace(PTRACE_SEIZE, tid, nullptr, nullptr) != 0) {
      const int error = errno;
      if (is_zombie(tid)) continue;  // it ended before the others
      throw FrozenError(tracing_error(pid_, error));
    }
    signals_.emplace(tid, 0);
    ptrace(PTRACE_INTERRUPT, tid, nullptr, nullptr);
    fresh.push_back(tid);
  }
  for (const pid_t tid : fresh) {
    await_stop(tid);
    at_rest = at_rest && waits_in_call(tid);
  }
  return !fresh.empty();
}

// Asks for stops only: an end is left for whose child it is.
void Freeze::await_stop(pid_t tid) {
  const auto until = Clock::now() + limits_.stop;
  for (;;) {
    siginfo_t info{};
    const int result = waitid(P_PID, static_cast<id_t>(tid), &info, WSTOPPED | WNOHANG | __WALL);
    if (result == 0 && info.si_pid == tid) {
      // Stopped by us (PTRACE_EVENT_STOP in the upper byte), or on the way to a signal of its own.
      const int event = info.si_status >> 8;
      if (event == 0) signals_[tid] = info.si_status;
      return;
    }
    if (is_zombie(tid)) return;
    if (Clock::now() > until) {
      throw FrozenError(fmt::format(
          "thread {} of process {} does not stand still within {} ms; it may wait for a disk", tid,
          pid_, limits_.stop.count()));
    }
    std::this_thread::sleep_for(kSlice);
  }
}

// A thread that has not stopped yet cannot be let go: it is waited for as long as it takes. One
// that has ended is ours to collect, but for the first one of a child of ours, whose end others of
// us wait for.
void Freeze::let_go() {
  for (const auto& [tid, signal] : signals_) {
    while (ptrace(PTRACE_DETACH, tid, nullptr, static_cast<long>(signal)) != 0) {
      if (errno != ESRCH) break;
      if (is_zombie(tid)) break;
      siginfo_t info{};
      waitid(P_PID, static_cast<id_t>(tid), &info, WSTOPPED | WNOHANG | __WALL);
      std::this_thread::sleep_for(kSlice);
    }
  }
  for (auto thread = signals_.rbegin(); thread != signals_.rend(); ++thread) {
    const pid_t tid = thread->first;
    if (!is_zombie(tid) || (tid == pid_ && is_our_child(pid_))) continue;
    siginfo_t info{};
    waitid(P_PID, static_cast<id_t>(tid), &info, WEXITED | WNOHANG | __WALL);
  }
  signals_.clear();
}

}  // namespace esox
