// SPDX-License-Identifier: Apache-2.0
// Ctrl-C: the first one asks for a clean end, the second one ends at once.
//
// SIGINT, SIGTERM and SIGHUP are blocked in all threads and read by one thread of ours from a
// descriptor, so that no code ever runs inside a signal handler. Servers are killed by the kernel
// when esox ends (process.h), however it ends.
#pragma once

#include <atomic>
#include <thread>

#include "base/process/unique_fd.h"

namespace esox {

// One per process, made before any other thread is.
class StopSignals {
 public:
  StopSignals();  // throws std::system_error
  ~StopSignals();
  StopSignals(const StopSignals&) = delete;
  StopSignals& operator=(const StopSignals&) = delete;

  // True from the first signal on.
  const std::atomic<bool>& stop() const { return stop_; }

 private:
  void watch();

  std::atomic<bool> stop_{false};
  UniqueFd signals_;
  UniqueFd end_;  // readable once the watching thread is to end
  std::thread thread_;
};

}  // namespace esox
