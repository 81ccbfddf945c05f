// SPDX-License-Identifier: Apache-2.0
// The schedules of another runner in which threads are replaced only at the points of a set, or
// where they cannot go on: what lies between is one step.
#pragma once

#include <functional>

#include "harness/exhaustive/point_set.h"
#include "harness/exhaustive/schedule_runner.h"

namespace esox::exhaustive {

class CoarseSchedules final : public ScheduleRunner {
 public:
  // `look`, if any, is told every execution as the other runner gave it. Both must outlive it.
  CoarseSchedules(ScheduleRunner& fine, PointSet points,
                  std::function<void(const ExecutedSchedule&)> look = {});

  // The beginning's steps but the last must be those of an earlier execution, the last usable one.
  ExecutedSchedule run(const Beginning& beginning) override;

 private:
  struct Part {
    ThreadId thread = kNoThread;
    size_t points = 0;  // of the other runner
  };

  bool begins_anew(const Point& point, ThreadId current) const;
  bool leads_to(const Beginning& beginning) const;
  Beginning fine_beginning(const Beginning& beginning) const;
  ExecutedSchedule coarse(ExecutedSchedule executed);

  ScheduleRunner& fine_;
  const PointSet points_;
  const std::function<void(const ExecutedSchedule&)> look_;
  std::vector<Part> path_;  // of the last usable execution
};

}  // namespace esox::exhaustive
