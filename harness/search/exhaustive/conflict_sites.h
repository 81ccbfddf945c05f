// SPDX-License-Identifier: Apache-2.0
// Call sites of operations that another thread's operation on the same object conflicts with, as
// executions show them one after the other.
#pragma once

#include <algorithm>
#include <set>
#include <unordered_map>
#include <utility>
#include <vector>

#include "harness/engine/schedule_runner.h"
#include "harness/search/exhaustive/point_set.h"
#include "preload/strategy/conflict.h"

namespace esox::exhaustive {

class ConflictSites {
 public:
  using Site = std::pair<PointClass, uint64_t>;

  // Those that the execution adds, sorted.
  std::vector<Site> learn(const ExecutedSchedule& executed) {
    std::vector<Site> added;
    for (const Point& point : executed.points) {
      if (!point.step.operations.empty()) learn(point.step.operations.front(), added);
    }
    std::ranges::sort(added);
    return added;
  }

 private:
  static constexpr size_t kMostUses = 64;  // kept of one object

  static bool same_use(const Pending& a, const Pending& b) {
    return a.thread == b.thread && a.kind == b.kind && a.site == b.site;
  }
  static Site site_of(const Pending& operation) {
    return {class_of(operation.kind), operation.site};
  }

  void learn(const Pending& operation, std::vector<Site>& added) {
    if (operation.object == 0 || operation.site == 0) return;
    std::vector<Pending>& uses = uses_[operation.object];
    if (std::ranges::any_of(uses, [&](const Pending& use) { return same_use(use, operation); })) {
      return;
    }
    for (const Pending& use : uses) {
      if (use.thread == operation.thread || !conflict(use, operation)) continue;
      for (const Site& site : {site_of(use), site_of(operation)}) {
        if (known_.insert(site).second) added.push_back(site);
      }
    }
    if (uses.size() < kMostUses) uses.push_back(operation);
  }

  std::unordered_map<uint64_t, std::vector<Pending>> uses_;  // by object, each kind of use once
  std::set<Site> known_;
};

}  // namespace esox::exhaustive
