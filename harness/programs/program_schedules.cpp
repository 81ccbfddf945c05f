// SPDX-License-Identifier: Apache-2.0
// See program_schedules.h.
#include "harness/programs/program_schedules.h"

#include <algorithm>
#include <utility>

#include "harness/engine/told_schedule.h"

namespace esox {
namespace {

using exhaustive::Beginning;
using exhaustive::ExecutedSchedule;
using exhaustive::Waiting;

bool any_enabled(const std::vector<Waiting>& waiting) {
  return std::any_of(waiting.begin(), waiting.end(),
                     [](const Waiting& one) { return one.enabled; });
}

// What the others would have done is not known: by a crash, by exit(), by a cycle of waits that
// does not take them all in.
bool ended_early(const ProgramEnd& end, const ExecutedSchedule& executed) {
  if (end.ending != ControlEnding::kNone) return any_enabled(executed.left);
  return !executed.points.empty() && executed.points.back().waiting.size() > 1;
}

}  // namespace

ProgramSchedules::ProgramSchedules(ProgramServer& server, uint64_t seed,
                                   std::chrono::milliseconds limit, bool thread_leaks, OnEnd on_end)
    : server_(server),
      seed_(seed),
      limit_(limit),
      thread_leaks_(thread_leaks),
      on_end_(std::move(on_end)) {}

ExecutedSchedule ProgramSchedules::run(const Beginning& beginning) {
  ProgramSpec spec;
  spec.strategy.kind = StrategyKind::kPrefix;
  spec.seed = seed_;
  spec.choices = tape_of(beginning);
  spec.limit = limit_;
  const ProgramEnd end = server_.run(spec);
  on_end_(end);
  ExecutedSchedule executed = schedule_of(server_.decisions());
  executed.usable = !end.stopped && end.diverged == 0 && doubts_about(end).empty();
  const auto kind = failure_class(end, thread_leaks_);
  executed.violation = executed.usable && kind.has_value();
  if (executed.violation) executed.what = failure_name(*kind);
  executed.ended_early = ended_early(end, executed);
  return executed;
}

}  // namespace esox
