// SPDX-License-Identifier: Apache-2.0
// Of the recorded data choices only those are kept that the violation needs.
#include "harness/findings/diagnosis/fewest_choices.h"

#include <gmock/gmock.h>

#include <algorithm>

#include "preload/protocol/data_choice.h"

namespace esox {
namespace {

using testing::ElementsAre;

uint64_t wake(uint32_t ordinal) {
  return value_of({DataChoiceKind::kSpuriousWake, 0, 1, ordinal});
}

// Breaks while all of `needed` are there.
class ChoicesModel {
 public:
  explicit ChoicesModel(std::vector<uint64_t> needed) : needed_(std::move(needed)) {}

  Tried run(const std::vector<uint64_t>& values) {
    ++executions;
    Tried tried;
    tried.values = values;
    tried.schedule = {{0, 3}, {1, 4}};
    const bool breaks = std::all_of(needed_.begin(), needed_.end(), [&](uint64_t one) {
      return std::find(values.begin(), values.end(), one) != values.end();
    });
    tried.side = breaks ? Side::kSame : Side::kAccepted;
    return tried;
  }

  TryChoices within(unsigned most) {
    return [this, most](const Schedule&, const std::vector<uint64_t>& values) {
      return executions < most ? std::optional(run(values)) : std::nullopt;
    };
  }

  unsigned executions = 0;

 private:
  std::vector<uint64_t> needed_;
};

TEST(FewestChoices, AreNoneWhereNoneIsNeeded) {
  ChoicesModel model({});
  const Tried start = model.run({2, wake(0), 0, wake(1), wake(7)});
  EXPECT_THAT(fewest_choices(start, model.within(100)).values, ElementsAre(2, 0));
  EXPECT_EQ(model.executions, 2u) << "all of them at once";
}

TEST(FewestChoices, AreThoseThatAreNeeded) {
  ChoicesModel model({wake(1), wake(9)});
  const Tried start = model.run({2, wake(0), wake(1), 0, wake(7), wake(9)});
  const Tried fewest = fewest_choices(start, model.within(100));
  EXPECT_EQ(fewest.side, Side::kSame);
  EXPECT_THAT(fewest.values, ElementsAre(2, wake(1), 0, wake(9)));
}

TEST(FewestChoices, CostNothingWhereThereAreOnlyWaiters) {
  ChoicesModel model({});
  const Tried start = model.run({2, 0, 1});
  EXPECT_EQ(fewest_choices(start, model.within(100)).values, start.values);
  EXPECT_EQ(model.executions, 1u);
}

TEST(FewestChoices, StillViolateWhereTheBudgetEndsEarly) {
  for (unsigned most = 1; most < 8; ++most) {
    ChoicesModel model({wake(1)});
    const Tried start = model.run({wake(0), wake(1), wake(2), wake(3)});
    EXPECT_EQ(fewest_choices(start, model.within(most)).side, Side::kSame) << most;
  }
}

}  // namespace
}  // namespace esox
