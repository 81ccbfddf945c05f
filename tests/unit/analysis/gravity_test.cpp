// SPDX-License-Identifier: Apache-2.0
#include "analysis/gravity.h"

#include <gmock/gmock.h>

namespace esox {
namespace {

using testing::ElementsAre;

ComponentComparison differs(const std::string& name, ComponentMeaning meaning) {
  ComponentComparison one;
  one.name = name;
  one.match = ComponentMatch::kDifferent;
  one.meaning = meaning;
  return one;
}

std::string told(const GraveDifference& one) {
  return one.component != nullptr ? one.component->name : part_name(one.reply->part);
}

TEST(Gravity, LeadsWithAnswersThenDamageThenContentAndEndsWithCounters) {
  Comparison comparison;
  RequestComparison request;
  request.differences = {{.part = OutputPart::kWarningCount}, {.part = OutputPart::kRows}};
  comparison.requests = {request};
  comparison.components = {differs("annotated:lru:1", ComponentMeaning::kContent),
                           differs("check:t1", ComponentMeaning::kDamage),
                           differs("counters", ComponentMeaning::kDerived),
                           differs("items", ComponentMeaning::kContent)};
  ComponentComparison unknown = differs("other", ComponentMeaning::kDamage);
  unknown.match = ComponentMatch::kUnavailable;
  comparison.components.push_back(unknown);
  std::vector<std::string> order;
  for (const GraveDifference& one : by_gravity(comparison)) order.push_back(told(one));
  EXPECT_THAT(order, ElementsAre("rows", "check:t1", "items", "annotated:lru:1",
                                 part_name(OutputPart::kWarningCount), "counters"));
}

}  // namespace
}  // namespace esox
