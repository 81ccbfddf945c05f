// SPDX-License-Identifier: Apache-2.0
// See told_schedule.h.
#include "harness/execution/told_schedule.h"

#include <span>
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

}  // namespace esox
