// SPDX-License-Identifier: Apache-2.0
// Schedules in which threads are replaced only at the points of a set, or where they cannot go on:
// what lies between is one step.
#pragma once

#include <algorithm>
#include <optional>
#include <utility>

#include "harness/engine/schedule_runner.h"
#include "harness/search/exhaustive/point_set.h"
#include "harness/search/exhaustive/search_account.h"

namespace esox::exhaustive {

// Between such schedules and those of whoever makes the executions.
class CoarseView {
 public:
  explicit CoarseView(PointSet points) : points_(std::move(points)) {}

  // What to execute for this beginning. Nothing: its steps but the last are not those of the last
  // usable execution, so that it is not known which points they are.
  // Of the last step only the first operation needs to be asked for: from there the running thread
  // stays, as it does in a coarse step.
  std::optional<Beginning> fine(const Beginning& beginning) const {
    if (!leads_to(beginning)) return std::nullopt;
    Beginning fine;
    fine.asleep = beginning.asleep;
    for (size_t i = 0; i < beginning.threads.size(); ++i) {
      const size_t points = i + 1 < beginning.threads.size() ? path_[i].points : 1;
      fine.threads.insert(fine.threads.end(), points, beginning.threads[i]);
    }
    return fine;
  }

  // The execution of it in coarse steps, which are remembered. One that is not usable stays as it
  // is.
  ExecutedSchedule coarse(ExecutedSchedule executed) {
    if (!executed.usable) return executed;
    std::vector<Point> fine = std::exchange(executed.points, {});
    path_.clear();
    ThreadId current = kNoThread;
    for (Point& point : fine) {
      if (begins_anew(point, current)) {
        current = point.step.thread;
        path_.push_back({current, 1});
        executed.points.push_back(std::move(point));
        continue;
      }
      ++path_.back().points;
      std::vector<Pending>& operations = executed.points.back().step.operations;
      operations.insert(operations.end(), point.step.operations.begin(),
                        point.step.operations.end());
    }
    return executed;
  }

 private:
  struct Part {
    ThreadId thread = kNoThread;
    size_t points = 0;  // fine ones
  };

  // It need not be a point of the set where the runner itself replaced the thread (starvation).
  bool begins_anew(const Point& point, ThreadId current) const {
    if (point.step.thread != current || !is_enabled(point.waiting, current)) return true;
    return points_.has(pending_of(point.waiting, current));
  }

  bool leads_to(const Beginning& beginning) const {
    if (beginning.threads.empty()) return true;
    const size_t known = beginning.threads.size() - 1;
    if (path_.size() < known) return false;
    return std::equal(beginning.threads.begin(), beginning.threads.end() - 1, path_.begin(),
                      [](ThreadId thread, const Part& part) { return thread == part.thread; });
  }

  PointSet points_;
  std::vector<Part> path_;  // of the last usable execution
};

}  // namespace esox::exhaustive
