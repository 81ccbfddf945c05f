// SPDX-License-Identifier: Apache-2.0
#include "harness/hunt/outcome_groups.h"

#include <algorithm>

#include "analysis/comparison.h"
#include "analysis/finding.h"
#include "harness/records/synopsis.h"

namespace esox {
namespace {

// Of a judged execution without a table every order is open; only those compared count.
std::vector<std::string> orders_with(const Verdict& verdict, const Input& input) {
  std::vector<std::string> orders;
  for (const OrderMatch& match : verdict.table) {
    if (match.infeasible.empty() && !match.tolerates && match.comparison.fully_matches()) {
      orders.push_back(order_name(match.order, match.without, client_names(input)));
    }
  }
  return orders;
}

OutcomeGroup group_of(const Judged& judged, const Input& input) {
  const ExecutionRecord& record = judged.report.record;
  OutcomeGroup group;
  group.verdict = judged.verdict.verdict;
  group.latent = judged.verdict.latent;
  group.count = 1;
  group.confirmed = judged.confirmed ? 1 : 0;
  group.doubt = judged.doubt;
  group.first_execution = record.number;
  group.first_seed = record.seed;
  group.ending = record.ending.kind;
  if (judged.cause) {
    group.cause = judged.cause->id;
    group.explanation = explanation_lines(input, record, judged.verdict);
  }
  if (group.verdict == VerdictClass::kDegraded) group.reasons = judged.verdict.degraded_reasons;
  group.orders = orders_with(judged.verdict, input);
  for (const ForgivenPlace& place : judged.verdict.forgiven) {
    group.forgiven.push_back(place.rule + ": " + place_name(place, client_names(input)));
  }
  group.outcome = record.outcome;
  return group;
}

bool belong_together(const OutcomeGroup& a, const OutcomeGroup& b, const Masks& masks) {
  if (a.verdict != b.verdict || a.ending != b.ending || a.reasons != b.reasons) return false;
  if (a.verdict == VerdictClass::kDegraded) return true;
  if (a.ending != EndingKind::kFinished) return a.cause == b.cause;
  return compare(a.outcome, b.outcome, masks).fully_matches();
}

void merge(OutcomeGroup& into, const OutcomeGroup& from) {
  into.count += from.count;
  into.confirmed += from.confirmed;
  if (into.doubt.empty()) into.doubt = from.doubt;
  for (const std::string& order : from.orders) {
    const bool known = std::ranges::count(into.orders, order) > 0;
    if (!known) into.orders.push_back(order);
  }
}

}  // namespace

OutcomeGroup* OutcomeGroups::find(const OutcomeGroup& group, const Masks& masks) {
  for (OutcomeGroup& known : groups_) {
    if (belong_together(known, group, masks)) return &known;
  }
  return nullptr;
}

void OutcomeGroups::add(OutcomeGroup group, const Masks& masks) {
  if (OutcomeGroup* known = find(group, masks)) {
    merge(*known, group);
  } else {
    groups_.push_back(std::move(group));
  }
}

void OutcomeGroups::add(const Judged& judged, const Input& input, const Masks& masks) {
  add(group_of(judged, input), masks);
}

std::vector<OutcomeGroup> OutcomeGroups::take(const Masks& masks) && {
  std::vector<OutcomeGroup> all = std::move(groups_);
  groups_.clear();
  for (OutcomeGroup& group : all) add(std::move(group), masks);
  std::ranges::stable_sort(groups_, std::greater(), &OutcomeGroup::count);
  return std::move(groups_);
}

}  // namespace esox
