// SPDX-License-Identifier: Apache-2.0
// Call sites of operations that another thread's operation on the same object conflicts with, as
// executions show them one after the other.
#pragma once

#include <set>
#include <unordered_map>
#include <utility>
#include <vector>

#include "harness/engine/schedule_runner.h"
#include "harness/search/exhaustive/point_set.h"

namespace esox::exhaustive {

class ConflictSites {
 public:
  using Site = std::pair<PointClass, uint64_t>;

  // Those that the execution adds, sorted.
  std::vector<Site> learn(const ExecutedSchedule& executed);

 private:
  void learn(const Pending& operation, std::vector<Site>& added);

  std::unordered_map<uint64_t, std::vector<Pending>> uses_;  // by object, each kind of use once
  std::set<Site> known_;
};

}  // namespace esox::exhaustive
