// SPDX-License-Identifier: Apache-2.0
#include "harness/search/exhaustive/conflict_sites.h"

#include <algorithm>

#include "preload/strategy/conflict.h"

namespace esox::exhaustive {
namespace {

constexpr size_t kMostUses = 64;  // kept of one object

bool same_use(const Pending& a, const Pending& b) {
  return a.thread == b.thread && a.kind == b.kind && a.site == b.site;
}

ConflictSites::Site site_of(const Pending& operation) {
  return {class_of(operation.kind), operation.site};
}

}  // namespace

std::vector<ConflictSites::Site> ConflictSites::learn(const ExecutedSchedule& executed) {
  std::vector<Site> added;
  for (const Point& point : executed.points) {
    if (!point.step.operations.empty()) learn(point.step.operations.front(), added);
  }
  std::sort(added.begin(), added.end());
  return added;
}

void ConflictSites::learn(const Pending& operation, std::vector<Site>& added) {
  if (operation.object == 0 || operation.site == 0) return;
  std::vector<Pending>& uses = uses_[operation.object];
  if (std::any_of(uses.begin(), uses.end(),
                  [&](const Pending& use) { return same_use(use, operation); })) {
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

}  // namespace esox::exhaustive
