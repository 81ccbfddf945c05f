// SPDX-License-Identifier: Apache-2.0
// Schedules in which threads are replaced only at the points of a set, or where they cannot go on:
// what lies between is one step.
#pragma once

#include <optional>

#include "harness/engine/schedule_runner.h"
#include "harness/search/exhaustive/point_set.h"

namespace esox::exhaustive {

// Between such schedules and those of whoever makes the executions.
class CoarseView {
 public:
  explicit CoarseView(PointSet points) : points_(std::move(points)) {}

  // What to execute for this beginning. Nothing: its steps but the last are not those of the last
  // usable execution, so that it is not known which points they are.
  std::optional<Beginning> fine(const Beginning& beginning) const;

  // The execution of it in coarse steps, which are remembered. One that is not usable stays as it
  // is.
  ExecutedSchedule coarse(ExecutedSchedule executed);

 private:
  struct Part {
    ThreadId thread = kNoThread;
    size_t points = 0;  // fine ones
  };

  bool begins_anew(const Point& point, ThreadId current) const;
  bool leads_to(const Beginning& beginning) const;

  PointSet points_;
  std::vector<Part> path_;  // of the last usable execution
};

}  // namespace esox::exhaustive
