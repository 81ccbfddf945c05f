// SPDX-License-Identifier: Apache-2.0
#include "harness/engine/execution_meter.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>

namespace esox {

ExecutionMeter::Clock::duration ExecutionMeter::running_for(Clock::time_point now) const {
  const int64_t since_ns = since_ns_.load();
  if (since_ns == 0) return {};
  return now.time_since_epoch() - std::chrono::nanoseconds(since_ns);
}

void ExecutionMeter::kill_server() {
  const std::lock_guard lock(mutex_);
  if (server_) syscall(SYS_pidfd_send_signal, server_.get(), SIGKILL, nullptr, 0);
}

void ExecutionMeter::set_server(int pidfd) {
  const std::lock_guard lock(mutex_);
  server_.reset(pidfd < 0 ? -1 : fcntl(pidfd, F_DUPFD_CLOEXEC, 0));
}

void ExecutionMeter::begin_run() {
  since_ns_.store(std::chrono::nanoseconds(Clock::now().time_since_epoch()).count());
}

void ExecutionMeter::end_run(double preparing_ms) {
  const auto took = running_for(Clock::now());
  const double all_us = std::chrono::duration<double, std::micro>(took).count();
  const double preparing_us = std::clamp(preparing_ms * 1e3, 0.0, all_us);
  executing_us_ += static_cast<uint64_t>(all_us - preparing_us);
  preparing_us_ += static_cast<uint64_t>(preparing_us);
  since_ns_.store(0);
  ++runs_;
}

}  // namespace esox
