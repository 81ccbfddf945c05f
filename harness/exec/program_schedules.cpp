// SPDX-License-Identifier: Apache-2.0
// See program_schedules.h.
#include "harness/exec/program_schedules.h"

#include <algorithm>
#include <utility>

#include "preload/strategy/prefix.h"

namespace esox {
namespace {

using exhaustive::Beginning;
using exhaustive::ExecutedSchedule;
using exhaustive::Point;
using exhaustive::Waiting;

Pending operation_of(const WaitingThread& record) {
  return {record.thread, record.kind, record.object, record.site};
}

bool is_done(const WaitingThread& record) {
  return (record.flags & kWaitingDone) != 0;
}

// The threads at one decision, from `at` on; moves behind them. Nobody chosen: the execution ended.
void take_decision(std::span<const WaitingThread>& left, ExecutedSchedule& executed) {
  const uint32_t decision = left.front().decision;
  Point point;
  for (; !left.empty() && !is_done(left.front()) && left.front().decision == decision;
       left = left.subspan(1)) {
    const WaitingThread& record = left.front();
    const Pending operation = operation_of(record);
    point.waiting.push_back({operation, (record.flags & kWaitingEnabled) != 0});
    if ((record.flags & kWaitingChosen) != 0) point.step = {record.thread, {operation}};
  }
  if (point.step.thread == kNoThread) {
    executed.left = std::move(point.waiting);
  } else {
    executed.points.push_back(std::move(point));
  }
}

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

std::vector<Choice> tape_of(const Beginning& beginning) {
  std::vector<Choice> choices;
  for (const ThreadId thread : beginning.threads) {
    choices.push_back({static_cast<uint32_t>(choices.size()), thread, 0});
  }
  for (const ThreadId thread : beginning.asleep) choices.push_back({Prefix::kAsleep, thread, 0});
  return choices;
}

ExecutedSchedule schedule_of(const std::vector<WaitingThread>& records) {
  ExecutedSchedule executed;
  for (std::span<const WaitingThread> left(records); !left.empty();) {
    if (!is_done(left.front())) {
      take_decision(left, executed);
      continue;
    }
    // Before the first decision there is nothing that could have come in another order.
    if (!executed.points.empty()) {
      executed.points.back().step.operations.push_back(operation_of(left.front()));
    }
    left = left.subspan(1);
  }
  return executed;
}

ProgramSchedules::ProgramSchedules(ProgramServer& server, uint64_t seed,
                                   std::chrono::milliseconds limit, bool thread_leaks, OnEnd on_end)
    : server_(server),
      seed_(seed),
      limit_(limit),
      thread_leaks_(thread_leaks),
      on_end_(std::move(on_end)) {}

ExecutedSchedule ProgramSchedules::run(const Beginning& beginning) {
  ProgramOrder order;
  order.strategy.kind = StrategyKind::kPrefix;
  order.seed = seed_;
  order.choices = tape_of(beginning);
  order.limit = limit_;
  const ProgramEnd end = server_.run(order);
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
