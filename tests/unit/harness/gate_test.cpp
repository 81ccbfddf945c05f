// SPDX-License-Identifier: Apache-2.0
#include "harness/hunt/gate.h"

#include <gmock/gmock.h>

#include "tests/unit/harness/records.h"

namespace esox {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

TEST(PickForGate, TakesDifferentEnginesAndInputs) {
  const std::vector<GateCandidate> candidates = {{"Aria", "a"}, {"MyISAM", "a"}, {"InnoDB", "a"},
                                                 {"Aria", "b"}, {"MyISAM", "b"}, {"InnoDB", "b"},
                                                 {"Aria", "c"}, {"MyISAM", "c"}, {"InnoDB", "c"}};
  EXPECT_THAT(pick_for_gate(candidates), ElementsAre(0, 4, 8));
}

TEST(PickForGate, PrefersEnginesToInputs) {
  EXPECT_THAT(pick_for_gate({{"Aria", "a"}, {"Aria", "b"}, {"InnoDB", "a"}}, 2), ElementsAre(0, 2));
}

TEST(PickForGate, TakesWhatThereIs) {
  EXPECT_THAT(pick_for_gate({{"Aria", "a"}}), ElementsAre(0));
  EXPECT_THAT(pick_for_gate({{"Aria", "a"}, {"Aria", "b"}}), ElementsAre(0, 1));
  EXPECT_THAT(pick_for_gate({}), IsEmpty());
}

TraceEvent event(OpKind kind, uint64_t site) {
  TraceEvent made{};
  made.kind = kind;
  made.site = site;
  return made;
}

class CompareExecutions : public testing::Test {
 protected:
  GateComparison compare_both(const Masks& masks = {}) const {
    return compare_executions(first_, second_, masks, two_clients());
  }
  ExecutionRecord first_ = record_of(outcome_of({"1"}, {"1", "2"}));
  ExecutionRecord second_ = first_;
};

TEST_F(CompareExecutions, EqualOnesAreEqual) {
  const GateComparison both = compare_both();
  EXPECT_TRUE(both.same_trace);
  EXPECT_TRUE(both.same_outcome);
  EXPECT_EQ(both.difference, "");
}

TEST_F(CompareExecutions, ADifferentStepIsADifferentTrace) {
  first_.trace = {event(OpKind::kNone, 1)};
  second_.trace = {event(OpKind::kNone, 2)};
  const GateComparison both = compare_both();
  EXPECT_FALSE(both.same_trace);
  EXPECT_TRUE(both.same_outcome);
  EXPECT_THAT(both.difference, HasSubstr("traces differ"));
}

TEST_F(CompareExecutions, ADifferentReplyStateOrEndingIsADifferentOutcome) {
  second_.outcome = outcome_of({"1", "2"}, {"1", "2"});
  EXPECT_FALSE(compare_both().same_outcome);
  EXPECT_THAT(compare_both().difference, HasSubstr("the reply to A1"));
  second_.outcome = outcome_of({"1"}, {"1"});
  EXPECT_FALSE(compare_both().same_outcome);
  EXPECT_THAT(compare_both().difference, HasSubstr("rows:test.t1"));
  second_ = first_;
  second_.ending.kind = EndingKind::kDeadlock;
  EXPECT_FALSE(compare_both().same_outcome);
}

TEST_F(CompareExecutions, MasksAreNoDifference) {
  second_.outcome.outputs[1][0].insert_id = 9;
  EXPECT_FALSE(compare_both().same_outcome);
  Masks masks;
  masks.outputs[OutputPlace{1, 0, OutputPart::kInsertId}] = 1;
  EXPECT_TRUE(compare_both(masks).same_outcome);
}

TEST(GateReport, IsTrustedOnlyIfAllOutcomesAgree) {
  GateReport gate;
  gate.runs = 3;
  gate.same_trace = 2;
  gate.same_outcome = 3;
  EXPECT_TRUE(gate.trusted());
  gate.same_outcome = 2;
  EXPECT_FALSE(gate.trusted());
}

}  // namespace
}  // namespace esox
