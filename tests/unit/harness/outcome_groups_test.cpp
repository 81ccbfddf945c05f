// SPDX-License-Identifier: Apache-2.0
#include "harness/hunt/outcome_groups.h"

#include <gmock/gmock.h>

#include "tests/unit/harness/records.h"

namespace esox {
namespace {

using testing::ElementsAre;
using testing::SizeIs;

void add(OutcomeGroups& groups, const ExecutionRecord& record, const Masks& masks = {}) {
  groups.add(judged_of(record, masks), two_clients(), masks);
}

TEST(OutcomeGroups, EqualOutcomesAreOneGroupWithItsOrdersAndFirstSeed) {
  OutcomeGroups groups;
  add(groups, record_of(outcome_of({"1"}, {"1", "2"}), 3));
  add(groups, record_of(outcome_of({"1", "2"}, {"1", "2"}), 4));
  add(groups, record_of(outcome_of({"1"}, {"2", "1"}), 5));
  const auto all = std::move(groups).take({});
  ASSERT_THAT(all, SizeIs(2));
  EXPECT_EQ(all[0].count, 2u);
  EXPECT_EQ(all[0].first_execution, 3u);
  EXPECT_EQ(all[0].first_seed, 1003u);
  EXPECT_THAT(all[0].orders, ElementsAre("A1 B1"));
  EXPECT_THAT(all[1].orders, ElementsAre("B1 A1"));
}

TEST(OutcomeGroups, AViolationIsAGroupOfItsOwnThatNoOrderExplains) {
  OutcomeGroups groups;
  add(groups, record_of(outcome_of({"1"}, {"1", "2"})));
  add(groups, record_of(outcome_of({"1"}, {"1"})));
  const auto all = std::move(groups).take({});
  ASSERT_THAT(all, SizeIs(2));
  EXPECT_EQ(all[1].verdict, VerdictClass::kLatent);
  EXPECT_THAT(all[1].orders, SizeIs(0));
  EXPECT_FALSE(all[1].explanation.empty());
}

TEST(OutcomeGroups, AreMergedUnderMasksThatCameLater) {
  OutcomeGroups groups;
  ExecutionRecord one = record_of(outcome_of({"1"}, {"1", "2"}));
  ExecutionRecord two = one;
  two.outcome.outputs[1][0].insert_id = 77;
  Masks masks;
  masks.outputs[OutputPlace{1, 0, OutputPart::kInsertId}] = 1;
  add(groups, one);
  Judged judged = judged_of(two, masks);
  groups.add(judged, two_clients(), Masks{});
  EXPECT_THAT(std::move(groups).take(masks), SizeIs(1));
}

TEST(OutcomeGroups, UnjudgedExecutionsAreGroupedByReasonWhateverTheirOutcome) {
  OutcomeGroups groups;
  for (const char* value : {"1", "2"}) {
    ExecutionRecord record = record_of(outcome_of({value}, {value}));
    record.degraded_reasons = {"lost"};
    add(groups, record);
  }
  const auto all = std::move(groups).take({});
  ASSERT_THAT(all, SizeIs(1));
  EXPECT_EQ(all[0].count, 2u);
  EXPECT_THAT(all[0].reasons, ElementsAre("lost"));
}

TEST(OutcomeGroups, CrashesAreGroupedByCause) {
  OutcomeGroups groups;
  for (int signal : {11, 6, 11}) {
    ExecutionRecord record = record_of(Outcome{});
    record.ending.kind = EndingKind::kCrash;
    record.ending.signal = signal;
    add(groups, record);
  }
  const auto all = std::move(groups).take({});
  ASSERT_THAT(all, SizeIs(2));
  EXPECT_EQ(all[0].count, 2u);
}

}  // namespace
}  // namespace esox
