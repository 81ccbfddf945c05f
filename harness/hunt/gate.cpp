// SPDX-License-Identifier: Apache-2.0
#include "harness/hunt/gate.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "analysis/comparison.h"
#include "analysis/linearization.h"
#include "analysis/trace_equality.h"

namespace esox {
namespace {

constexpr unsigned kGateAttempts = 3;

std::string outcome_difference(const ExecutionRecord& first, const ExecutionRecord& second,
                               const Masks& masks, const Input& input) {
  if (first.ending.kind != second.ending.kind) {
    return fmt::format("one ended as {}, the other as {}", ending_name(first.ending.kind),
                       ending_name(second.ending.kind));
  }
  if (first.ending.kind != EndingKind::kFinished) return "";
  const Comparison comparison = compare(first.outcome, second.outcome, masks);
  for (const RequestComparison& request : comparison.requests) {
    if (request.equal()) continue;
    return fmt::format("the reply to {} differs in its {}",
                       request_name(request.client, request.request, client_names(input)),
                       part_name(request.differences.front().part));
  }
  for (const ComponentComparison& component : comparison.components) {
    if (component.match == ComponentMatch::kDifferent) {
      return fmt::format("the state of {} differs", component.name);
    }
  }
  return "";
}

// A degraded execution says nothing of its seed, only that the machine was busy: once more.
ExecutionReport run_for_sure(Executor& executor, const ExecutionPlan& plan) {
  ExecutionReport report;
  for (unsigned i = 0; i < kGateAttempts; ++i) {
    report = executor.run(plan);
    if (report.record.degraded_reasons.empty() &&
        report.record.ending.kind != EndingKind::kDegraded) {
      break;
    }
  }
  return report;
}

GateComparison run_pair(Executor& executor, Exploration& exploration) {
  exploration.prepare(executor);
  const ExecutionPlan plan = exploration.plan(1);
  const ExecutionReport first = run_for_sure(executor, plan);
  const ExecutionReport second = run_for_sure(executor, plan);
  return compare_executions(first.record, second.record, exploration.masks(),
                            exploration.input().input);
}

}  // namespace

std::vector<size_t> pick_for_gate(const std::vector<GateCandidate>& candidates, size_t limit) {
  std::vector<size_t> picked;
  std::set<std::string> engines;
  std::set<std::string> inputs;
  // First new engines on new inputs, then new engines, then new inputs, then what there is.
  for (int round = 0; round < 4; ++round) {
    for (size_t i = 0; i < candidates.size() && picked.size() < limit; ++i) {
      const bool new_engine = !engines.contains(candidates[i].engine);
      const bool new_input = !inputs.contains(candidates[i].input);
      const bool wanted = round == 0   ? new_engine && new_input
                          : round == 1 ? new_engine
                          : round == 2 ? new_input
                                       : true;
      if (!wanted || std::ranges::count(picked, i) > 0) continue;
      picked.push_back(i);
      engines.insert(candidates[i].engine);
      inputs.insert(candidates[i].input);
    }
  }
  return picked;
}

GateComparison compare_executions(const ExecutionRecord& first, const ExecutionRecord& second,
                                  const Masks& masks, const Input& input) {
  const TraceDifference trace =
      compare_traces(first.trace, first.modules, second.trace, second.modules);
  const std::string outcome = outcome_difference(first, second, masks, input);
  return {trace.equal, outcome.empty(),
          !outcome.empty() ? outcome
          : !trace.equal   ? "traces differ: " + trace.text
                           : ""};
}

GateReport run_gate(Executor& executor, const std::vector<Exploration*>& explorations,
                    const std::atomic<bool>& stop) {
  GateReport report;
  for (Exploration* exploration : explorations) {
    if (stop.load()) break;
    const GateComparison pair = run_pair(executor, *exploration);
    ++report.runs;
    report.same_trace += pair.same_trace;
    report.same_outcome += pair.same_outcome;
    if (!pair.difference.empty()) {
      report.differences.push_back(exploration->name() + ": " + pair.difference);
    }
  }
  return report;
}

}  // namespace esox
