// SPDX-License-Identifier: Apache-2.0
// Where the time of a hunt's workers went. Plain data.
#pragma once

namespace esox {

// The sum is seconds times jobs.
struct WorkerTime {
  double executing_s = 0;  // executions of any kind: concurrent, serial, confirming
  double preparing_s = 0;  // servers started and set up, brought to their snapshot
  double other_s = 0;      // judging, keeping, waiting

  double total_s() const { return executing_s + preparing_s + other_s; }
  // Of nothing, nothing is missing.
  double executing_share() const { return total_s() > 0 ? executing_s / total_s() : 1; }

  void add(const WorkerTime& more) {
    executing_s += more.executing_s;
    preparing_s += more.preparing_s;
    other_s += more.other_s;
  }
};

}  // namespace esox
