// SPDX-License-Identifier: Apache-2.0
#include "analysis/gravity.h"

#include <algorithm>

namespace esox {

Gravity gravity_of(OutputPart part) {
  switch (part) {
    case OutputPart::kSqlState:
    case OutputPart::kMessage:
    case OutputPart::kColumns:
    case OutputPart::kInsertId:
    case OutputPart::kWarningCount:
    case OutputPart::kWarnings:
      return Gravity::kDetail;
    default:
      return Gravity::kReply;
  }
}

Gravity gravity_of(const std::string& component, ComponentMeaning meaning) {
  if (is_damage(meaning)) return Gravity::kDamage;
  if (meaning == ComponentMeaning::kDerived) return Gravity::kDerived;
  const bool declared = facts_of(component, declared_components()) != nullptr;
  return declared ? Gravity::kInside : Gravity::kContent;
}

std::vector<GraveDifference> by_gravity(const Comparison& comparison) {
  std::vector<GraveDifference> all;
  for (const RequestComparison& request : comparison.requests) {
    for (const OutputDifference& one : request.differences) {
      all.push_back({gravity_of(one.part), &request, &one, nullptr});
    }
  }
  for (const ComponentComparison& one : comparison.components) {
    if (one.match != ComponentMatch::kDifferent) continue;
    all.push_back({gravity_of(one.name, one.meaning), nullptr, nullptr, &one});
  }
  std::ranges::stable_sort(all, {}, &GraveDifference::gravity);
  return all;
}

}  // namespace esox
