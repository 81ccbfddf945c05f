// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/exhaustive/model_runner.h"

#include <algorithm>

#include "preload/strategy/prefix.h"
#include "tests/models/partial_order.h"

namespace esox::exhaustive {
namespace {

using model::Offer;

std::vector<Waiting> waiting_of(const std::vector<Pending>& all,
                                const std::vector<Pending>& enabled) {
  std::vector<Waiting> result;
  for (const Pending& one : all) {
    result.push_back({one, model::is_enabled(enabled, one.thread)});
  }
  return result;
}

StrategyTape tape_of(const std::vector<Choice>& choices) {
  StrategyTape tape;
  tape.choices = choices.data();
  tape.choice_count = static_cast<uint32_t>(choices.size());
  return tape;
}

// All schedules that begin with `threads`. `preemptions` are left.
void enumerate_from(const model::Program& program, std::vector<ThreadId>& threads,
                    uint32_t preemptions, AllSchedules& all) {
  std::vector<Choice> choices;
  for (const ThreadId thread : threads) {
    choices.push_back({static_cast<uint32_t>(choices.size()), thread, 0});
  }
  model::Holder prefix("prefix", tape_of(choices));
  std::vector<std::vector<Pending>> all_enabled;
  const model::RunResult result = run(
      program, *prefix, {}, Offer::kEveryPoint,
      [&](const auto&, const std::vector<Pending>& enabled) { all_enabled.push_back(enabled); });
  if (result.order.size() == threads.size()) {
    ++all.schedules;
    const std::string name = partial_order_of(program, result.order);
    all.partial_orders.insert(name);
    if (result.bug) all.violations.insert(name);
    return;
  }
  const std::vector<Pending> enabled = all_enabled[threads.size()];
  const ThreadId current = threads.empty() ? kNoThread : threads.back();
  const bool can_stay = model::is_enabled(enabled, current);
  for (const Pending& pending : enabled) {
    const bool preempts = can_stay && pending.thread != current;
    if (preempts && preemptions == 0) continue;
    const uint32_t left = preempts && preemptions != kUnbounded ? preemptions - 1 : preemptions;
    threads.push_back(pending.thread);
    enumerate_from(program, threads, left, all);
    threads.pop_back();
  }
}

}  // namespace

ExecutedSchedule ModelRunner::run(const Beginning& beginning) {
  std::vector<Choice> choices;
  for (const ThreadId thread : beginning.threads) {
    choices.push_back({static_cast<uint32_t>(choices.size()), thread, 0});
  }
  for (const ThreadId thread : beginning.asleep) choices.push_back({Prefix::kAsleep, thread, 0});
  model::Holder prefix("prefix", tape_of(choices));
  std::vector<std::vector<Waiting>> waiting;
  const model::RunResult result = model::run(
      program_, *prefix, {}, Offer::kEveryPoint,
      [&](const auto& all, const auto& enabled) { waiting.push_back(waiting_of(all, enabled)); });
  ExecutedSchedule executed;
  for (size_t i = 0; i < result.order.size(); ++i) {
    const ThreadId thread = result.order[i];
    Point& point = executed.points.emplace_back();
    point.waiting = waiting[i];
    point.step.thread = thread;
    for (const Waiting& one : waiting[i]) {
      if (one.operation.thread == thread) point.step.operations = {one.operation};
    }
  }
  executed.left = waiting.back();
  executed.violation = result.bug;
  executed.what = result.deadlock ? "deadlock" : "the program's own check";
  executed.usable = prefix->diverged() == 0;
  return executed;
}

AllSchedules enumerate(const model::Program& program, uint32_t preemptions) {
  AllSchedules all;
  std::vector<ThreadId> threads;
  enumerate_from(program, threads, preemptions, all);
  return all;
}

}  // namespace esox::exhaustive
