// SPDX-License-Identifier: Apache-2.0
#include "analysis/finding.h"

#include <fmt/format.h>

#include <algorithm>

#include "analysis/comparison.h"
#include "analysis/cut_off.h"
#include "analysis/ended_server.h"
#include "analysis/linearization.h"
#include "analysis/transactions.h"
#include "base/mapped.h"
#include "base/text/enum_names.h"

namespace esox {
namespace {

// A list in the form component.h demands of a partial one: the first of a sequence, else the
// smallest. Maps with masked keys stay whole, for they are compared element by element; so does
// what rules look at.
void shorten(Component& component, const Masks& masks, const RulesInForce& rules) {
  if (component.elements.size() <= kMaxFindingElements) return;
  if (!masks.hidden_keys(component.name).empty() || rules.touches(component.name)) return;
  if (component.kind != ComponentKind::kSequence) std::ranges::sort(component.elements);
  component.elements.resize(kMaxFindingElements);
}

Outcome shortened(Outcome outcome, const Masks& masks, const RulesInForce& rules) {
  for (Component& component : outcome.state.components) shorten(component, masks, rules);
  return outcome;
}

// An execution without a table (crash, deadlock, hang) still keeps what the serial orders give.
FindingOrder order_of(const SerialRun& run, const Masks& masks, const RulesInForce& rules) {
  FindingOrder order;
  order.order = run.order;
  order.without = run.without;
  order.infeasible = run.infeasible;
  if (run.infeasible.empty()) order.outcome = shortened(run.first, masks, rules);
  return order;
}

// `match`: of that run.
FindingOrder order_of(const OrderMatch& match, const SerialRun& run, const Masks& masks,
                      const RulesInForce& rules, const std::vector<std::string>& names) {
  FindingOrder order = order_of(run, masks, rules);
  order.allowed = match.allowed;
  for (const RequestComparison& request : match.comparison.requests) {
    if (request.equal()) continue;
    order.differing_requests.push_back(request_name(request.client, request.request, names));
  }
  for (const ComponentComparison& component : match.comparison.components) {
    if (component.match == ComponentMatch::kDifferent) {
      order.differing_components.push_back(component.name);
    } else if (component.match == ComponentMatch::kUnavailable) {
      order.unavailable_components.push_back(component.name);
    }
  }
  return order;
}

std::string first_difference(const Comparison& comparison, const std::vector<std::string>& names) {
  for (const RequestComparison& request : comparison.requests) {
    if (request.equal()) continue;
    return fmt::format("the reply to {} differs: {}",
                       request_name(request.client, request.request, names),
                       part_name(request.differences.front().part));
  }
  return "";
}

bool unavailable_in_both(const std::string& name, const Outcome& a, const Outcome& b) {
  const Component* first = a.state.find(name);
  const Component* second = b.state.find(name);
  return first != nullptr && second != nullptr && !first->unavailable.empty() &&
         !second->unavailable.empty();
}

}  // namespace

std::vector<std::string> client_names(const Input& input) {
  return mapped<std::string>(input.clients, &InputClient::name);
}

Finding make_finding(const ConcreteInput& input, const ExecutionRecord& record,
                     const Verdict& verdict, std::span<const SerialRun> serial_runs,
                     const Masks& masks, const Cause& cause, const RulesInForce& rules) {
  Finding finding;
  finding.id = finding_id(input.input.id, conditions_of(input), cause);
  finding.cause = cause.text;
  finding.input = input;
  finding.verdict = verdict.verdict;
  finding.latent = verdict.latent;
  finding.first_execution = record.number;
  finding.seed = record.seed;
  finding.strategy = record.strategy;
  finding.choices = record.choices;
  finding.values = record.values;
  finding.ending = record.ending.kind;
  finding.signal = record.ending.signal;
  finding.ending_detail = record.ending.detail;
  finding.outcome = shortened(record.outcome, masks, rules);
  finding.stamps = record.stamps;
  finding.units = record.units.of;
  if (has_anomaly(record)) finding.anomaly = record.anomaly;
  finding.masks = masks;
  if (rules.all() != nullptr) finding.filters = rules.all()->texts;
  const auto names = client_names(input.input);
  for (size_t i = 0; i < serial_runs.size(); ++i) {
    finding.orders.push_back(i < verdict.table.size()
                                 ? order_of(verdict.table[i], serial_runs[i], masks, rules, names)
                                 : order_of(serial_runs[i], masks, rules));
  }
  return finding;
}

ReplayMatch match_replay(const ExecutionRecord& record, const Finding& finding,
                         const RulesInForce& rules) {
  if (record.ending.kind != finding.ending) {
    return {false, fmt::format("it ended as {}, not as {}", ending_name(record.ending.kind),
                               ending_name(finding.ending))};
  }
  if (record.ending.signal != finding.signal) {
    return {false, fmt::format("signal {} instead of {}", record.ending.signal, finding.signal)};
  }
  // Of an execution that did not end only the manner of ending is defined.
  if (finding.ending != EndingKind::kFinished) return {true, "the same ending"};
  const Comparison comparison = compare(record.outcome, finding.outcome, finding.masks,
                                        Forgiveness(rules, record.stamps).between_executions());
  if (!comparison.outputs_match()) {
    return {false, first_difference(comparison, client_names(finding.input.input))};
  }
  for (const ComponentComparison& component : comparison.components) {
    if (component.match == ComponentMatch::kEqual) continue;
    if (unavailable_in_both(component.name, record.outcome, finding.outcome)) continue;
    return {false, fmt::format(
                       "component {} {}", component.name,
                       component.match == ComponentMatch::kDifferent ? "differs" : component.note)};
  }
  return {true, "the same outcome"};
}

ExecutionRecord record_of(const Finding& finding) {
  ExecutionRecord record;
  record.number = finding.first_execution;
  record.seed = finding.seed;
  record.strategy = finding.strategy;
  record.outcome = finding.outcome;
  record.stamps = finding.stamps;
  record.units.of = finding.units;
  record.units.serial = !finding.units.empty() && judges_transactions(finding.input.input);
  leave_out_unserved(finding.input.input, record, record.units);
  record.anomaly = finding.anomaly;
  record.anomaly.forbidden = true;
  record.ending.kind = finding.ending;
  record.ending.signal = finding.signal;
  record.ending.detail = finding.ending_detail;
  record.cut_off = cut_off_requests(record, serial_runs_of(finding));
  return record;
}

std::vector<SerialRun> serial_runs_of(const Finding& finding) {
  return mapped<SerialRun>(finding.orders, [&](const FindingOrder& order) -> SerialRun {
    return {order.order, order.outcome, order.outcome, order.infeasible, order.without};
  });
}

const char* ending_name(EndingKind kind) {
  static constexpr const char* kNames[] = {"finished", "crash", "deadlock", "hang", "degraded"};
  return name_in(kNames, kind);
}

}  // namespace esox
