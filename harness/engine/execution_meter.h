// SPDX-License-Identifier: Apache-2.0
// What an executor does with its time, for those who watch it from another thread: how many runs it
// made, what they took, since when the one under way runs, and which server it has in hand.
//
// The last two are for an execution that does not end although everything in it is limited: its
// server is killed, and what waited for that goes on.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <mutex>

#include "base/process/unique_fd.h"

namespace esox {

class ExecutionMeter {
 public:
  using Clock = std::chrono::steady_clock;

  // Any thread may call these.
  uint64_t runs() const { return runs_.load(); }  // that have ended, however
  double executing_s() const { return seconds(executing_us_); }
  double preparing_s() const { return seconds(preparing_us_); }
  // Of the run under way; zero if there is none.
  Clock::duration running_for(Clock::time_point now) const;
  // The server told last, with all that it forked; nothing if it is gone.
  void kill_server();

  // By the executor's thread. `pidfd` is copied; -1: there is none yet.
  void set_server(int pidfd);
  void begin_run();
  void end_run(double preparing_ms);

 private:
  static double seconds(const std::atomic<uint64_t>& us) {
    return static_cast<double>(us.load()) / 1e6;
  }

  std::atomic<uint64_t> runs_{0};
  std::atomic<uint64_t> executing_us_{0};
  std::atomic<uint64_t> preparing_us_{0};
  std::atomic<int64_t> since_ns_{0};  // 0: nothing runs
  std::mutex mutex_;                  // guards server_
  UniqueFd server_;
};

// One run, told to a meter if there is one. All the time of one that fails is preparation: it did
// not come to an execution.
class MeteredRun {
 public:
  explicit MeteredRun(ExecutionMeter* meter) : meter_(meter) {
    if (meter_ != nullptr) meter_->begin_run();
  }
  ~MeteredRun() {
    if (meter_ != nullptr) meter_->end_run(preparing_ms_);
  }
  MeteredRun(const MeteredRun&) = delete;
  MeteredRun& operator=(const MeteredRun&) = delete;
  void succeeded(double preparing_ms) { preparing_ms_ = preparing_ms; }

 private:
  ExecutionMeter* meter_;
  double preparing_ms_ = 1e12;
};

}  // namespace esox
