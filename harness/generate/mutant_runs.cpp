// SPDX-License-Identifier: Apache-2.0
#include "harness/generate/mutant_runs.h"

#include <xxhash.h>

#include <algorithm>
#include <bit>
#include <numeric>

#include "analysis/schedule.h"
#include "harness/engine/shared_objects.h"
#include "harness/hunt/exploration.h"
#include "harness/search/strategy_text.h"

namespace esox {

namespace {

// What threads outside control have done makes the number of points another one, by a few, in one
// run of some: what is drawn by it shall be the same. A quarter of a power of two.
uint64_t on_grid(uint64_t points) {
  const uint64_t step = std::max<uint64_t>(1, std::bit_floor(points) / 4);
  return (points + step - 1) / step * step;
}

}  // namespace

bool is_sound(const ExecutionReport& report) {
  return report.record.ending.kind == EndingKind::kFinished &&
         report.record.degraded_reasons.empty();
}

Showing showing_of(const ExecutionReport& report, size_t glance, const Input& input) {
  const ExecutionRecord& record = report.record;
  Showing showing{record.choices, record.values, record.seed, glance, {}, {}, {}};
  showing.behaviour = behaviour_of(record, input.clients.size(), {});
  showing.shown = features_shown(record, input, showing.behaviour.meetings);
  showing.features = features_of(showing.shown);
  return showing;
}

Features features_of(const ExecutionReport& report, const Input& input) {
  return showing_of(report, 0, input).features;
}

MutantRuns::MutantRuns(Executor& executor, const ConcreteInput& input, uint64_t seed)
    : executor_(executor), input_(input), seed_(seed) {}

ExecutionPlan MutantRuns::plan() const {
  ExecutionPlan plan;
  plan.input = &input_;
  plan.clock_base_ns = kClockBase_ns;
  plan.expected_points = expected_points_;
  plan.expected_points_of = expected_points_of_;
  plan.shared_objects = shared_objects_;
  plan.replies_only = true;
  return plan;
}

ExecutionReport MutantRuns::run(const ExecutionPlan& plan) {
  ++concurrent_;
  return executor_.run(plan);
}

ExecutionPlan MutantRuns::one_after_the_other(const std::vector<size_t>& clients) const {
  ExecutionPlan one = plan();
  one.strategy.kind = StrategyKind::kSerial;
  one.strategy_text = "serial";
  for (const InputClient& client : input_.input.clients) {
    one.requests.push_back(client.requests.size());
  }
  for (const size_t c : clients) {
    one.serial_order.insert(one.serial_order.end(), one.requests[c], static_cast<ThreadId>(c));
  }
  return one;
}

ExecutionReport MutantRuns::backward() {
  std::vector<size_t> clients(input_.input.clients.size());
  std::iota(clients.rbegin(), clients.rend(), 0);
  return executor_.run(one_after_the_other(clients));
}

ExecutionReport MutantRuns::forward(bool with_state) {
  std::vector<size_t> clients(input_.input.clients.size());
  std::iota(clients.begin(), clients.end(), 0);
  ExecutionPlan one = one_after_the_other(clients);
  one.replies_only = !with_state;
  ExecutionReport report = executor_.run(one);
  points_ = on_grid(report.points);
  expected_points_ = on_grid(report.offered);
  expected_points_of_.clear();
  for (const uint64_t points : report.offered_of) expected_points_of_.push_back(on_grid(points));
  shared_objects_ = shared_objects_of(report.record.trace);
  return report;
}

ExecutionPlan MutantRuns::drawn(size_t glance, uint64_t seed) const {
  ExecutionPlan one = plan();
  one.strategy_text = kGlances[glance];
  one.seed = seed;
  one.strategy = strategy_from_text(one.strategy_text);
  return one;
}

ExecutionReport MutantRuns::glance(size_t which) {
  return run(drawn(which, XXH3_64bits_withSeed(&which, sizeof which, seed_)));
}

ExecutionReport MutantRuns::replay(const Showing& showing) {
  ExecutionPlan one = plan();
  one.strategy.kind = StrategyKind::kReplay;
  one.strategy_text = "replay";
  one.seed = showing.seed;
  one.choices = showing.choices;
  one.values = showing.values;
  return run(one);
}

ExecutionReport MutantRuns::reduced(const Showing& showing, const RequestSet& without,
                                    size_t number) {
  ExecutionPlan one = drawn(showing.glance, showing.seed + number);
  if (number == 0) {
    one.strategy.kind = StrategyKind::kSegments;
    one.strategy_text = "segments";
    one.choices = tape_of(schedule_of(showing.choices, showing.finished));
    one.values = showing.values;
  }
  one.without = without;
  return run(one);
}

}  // namespace esox
