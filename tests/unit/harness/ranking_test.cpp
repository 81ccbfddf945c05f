// SPDX-License-Identifier: Apache-2.0
// The order in which a hunt takes the inputs of a corpus.
#include "harness/import/ranking.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>

namespace esox {
namespace {

using testing::ElementsAre;

std::vector<std::string> ids_in_order(const std::vector<Rankable>& inputs) {
  std::vector<std::string> ids;
  for (const size_t index : ranked(inputs)) ids.push_back(inputs[index].id);
  return ids;
}

TEST(Ranking, WhatTheOrderOfRequestsChangesComesFirst) {
  EXPECT_THAT(ids_in_order({{"a", Sensitivity::kExistence, "k", {1, 2, 3}},
                            {"b", Sensitivity::kNone, "k", {1, 2}},
                            {"c", Sensitivity::kClean, "k", {1}},
                            {"d", Sensitivity::kFailing, "k", {1}}}),
              ElementsAre("c", "d", "b", "a"));
}

TEST(Ranking, RareContactsComeBeforeCommonOnes) {
  EXPECT_THAT(ids_in_order({{"a", Sensitivity::kClean, "k1", {1, 2}},
                            {"b", Sensitivity::kClean, "k2", {1, 2}},
                            {"c", Sensitivity::kClean, "k3", {1, 2}},
                            {"d", Sensitivity::kClean, "k4", {7, 8}}})
                  .front(),
              "d");
}

TEST(Ranking, WhatWasTakenAlreadyIsWorthLess) {
  const auto order = ids_in_order({{"a", Sensitivity::kClean, "k", {1, 2, 3, 4}},
                                   {"b", Sensitivity::kClean, "k", {1, 2, 3}},
                                   {"c", Sensitivity::kClean, "other", {5}}});
  EXPECT_THAT(order, ElementsAre("a", "c", "b"));
}

TEST(Ranking, KindsThatGaveFindingsComeFirstAndBarrenOnesLast) {
  std::vector<Rankable> inputs = {{"a", Sensitivity::kClean, "barren", {1}, 40, 0},
                                  {"b", Sensitivity::kClean, "unknown", {2}, 0, 0},
                                  {"c", Sensitivity::kClean, "fertile", {3}, 40, 20}};
  EXPECT_THAT(ids_in_order(inputs), ElementsAre("c", "b", "a"));
}

TEST(Ranking, NothingIsLeftOutAndTheOrderOfArrivalDoesNotMatter) {
  std::mt19937 random(1);
  std::vector<Rankable> inputs;
  for (size_t i = 0; i < 500; ++i) {
    Rankable one{"id" + std::to_string(i), static_cast<Sensitivity>(random() % 4),
                 "k" + std::to_string(random() % 30)};
    for (unsigned k = random() % 20; k > 0; --k) one.contacts.push_back(random() % 200);
    std::sort(one.contacts.begin(), one.contacts.end());
    one.contacts.erase(std::unique(one.contacts.begin(), one.contacts.end()), one.contacts.end());
    inputs.push_back(std::move(one));
  }
  const auto order = ids_in_order(inputs);
  EXPECT_EQ(order.size(), inputs.size());
  EXPECT_EQ(std::set<std::string>(order.begin(), order.end()).size(), inputs.size());
  std::shuffle(inputs.begin(), inputs.end(), random);
  EXPECT_EQ(ids_in_order(inputs), order);
}

}  // namespace
}  // namespace esox
