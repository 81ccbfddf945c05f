// SPDX-License-Identifier: Apache-2.0
// The schedules of a program, for the exhaustive search (harness/search/exhaustive/search.h): each
// branch is one forked execution under the strategy `prefix`.
#pragma once

#include <algorithm>
#include <chrono>
#include <functional>
#include <utility>

#include "harness/engine/schedule_runner.h"
#include "harness/engine/told_schedule.h"
#include "harness/programs/failure.h"
#include "harness/programs/program_server.h"

namespace esox {

class ProgramSchedules final : public exhaustive::ScheduleRunner {
 public:
  // Told of every execution as soon as it is made, while the server still knows what it did.
  using OnEnd = std::function<void(const ProgramEnd&)>;

  // The server must outlive it. `limit` of real time for one execution.
  ProgramSchedules(ProgramServer& server, uint64_t seed, std::chrono::milliseconds limit,
                   bool thread_leaks, OnEnd on_end)
      : server_(server),
        seed_(seed),
        limit_(limit),
        thread_leaks_(thread_leaks),
        on_end_(std::move(on_end)) {}

  // Throws ServerError as ProgramServer::run does.
  exhaustive::ExecutedSchedule run(const exhaustive::Beginning& beginning) override {
    ProgramSpec spec;
    spec.strategy.kind = StrategyKind::kPrefix;
    spec.seed = seed_;
    spec.choices = tape_of(beginning);
    spec.limit = limit_;
    const ProgramEnd end = server_.run(spec);
    on_end_(end);
    exhaustive::ExecutedSchedule executed = schedule_of(server_.decisions());
    executed.usable = !end.stopped && end.diverged == 0 && doubts_about(end).empty();
    const auto kind = failure_class(end, thread_leaks_);
    executed.violation = executed.usable && kind.has_value();
    if (executed.violation) executed.what = failure_name(*kind);
    take_exit(end, executed);
    executed.ended_early = ended_early(end, executed);
    return executed;
  }

 private:
  // The process's exit is a step that meets all that the others were about to do; and with it they
  // stand there for good.
  static void take_exit(const ProgramEnd& end, exhaustive::ExecutedSchedule& executed) {
    if (end.ending != ControlEnding::kNone || executed.points.empty()) return;
    const exhaustive::Point& last = executed.points.back();
    if (last.step.operations.front().kind != OpKind::kProcessExit) return;
    for (const exhaustive::Waiting& one : last.waiting) {
      if (one.operation.thread != last.step.thread) executed.left.push_back(one);
    }
  }

  // What the others would have done is not known: by a crash, by exit(), by a cycle of waits that
  // does not take them all in.
  static bool ended_early(const ProgramEnd& end, const exhaustive::ExecutedSchedule& executed) {
    if (end.ending == ControlEnding::kNone) {
      return !executed.points.empty() && executed.left.empty() &&
             executed.points.back().waiting.size() > 1;
    }
    return std::ranges::any_of(executed.left,
                               [](const exhaustive::Waiting& one) { return one.enabled; });
  }

  ProgramServer& server_;
  uint64_t seed_;
  std::chrono::milliseconds limit_;
  bool thread_leaks_;
  OnEnd on_end_;
};

}  // namespace esox
