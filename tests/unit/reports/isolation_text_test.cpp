// SPDX-License-Identifier: Apache-2.0
// What a hunt says of isolation levels: what was not seen, in how many schedules, and what was.
#include "harness/records/isolation_text.h"

#include <gmock/gmock.h>

#include "harness/records/reports/reports.h"
#include "harness/records/summary_text.h"
#include "tests/unit/reports/hunts.h"

namespace esox {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

InputFigures judged_at(const std::string& input, TransactionFigures transactions, bool searched) {
  InputFigures figures;
  figures.input = input;
  figures.executions = transactions.judged;
  figures.transactions = std::move(transactions);
  figures.systematic.emplace();
  figures.systematic->one.done = searched;
  return figures;
}

HuntReport hunt_at_levels() {
  HuntReport hunt = some_hunt();
  hunt.figures = {
      judged_at("a", {"serializable", "G0, nor stale read", 100, {}, {}}, true),
      judged_at("b", {"serializable", "G0, nor stale read", 50, {}, {}}, true),
      judged_at("c", {"repeatable-read", "G0, nor G-single", 60, {{"G2-item", 3}}, {}}, true),
      judged_at("d", {"repeatable-read", "G0, nor G-single", 40, {{"G2-item", 4}}, {}}, false),
      judged_at("e", {"snapshot", "G-single", 20, {{"G2-item", 1}}, {{"G-single", 2}}}, false)};
  hunt.figures.push_back(InputFigures());  // without transactions
  return hunt;
}

const char* const kSerializable =
    "Isolation level serializable: no G0, nor stale read in 150 schedules of 2 inputs (of all of "
    "these inputs all schedules with one preemption).";

TEST(IsolationText, SaysOfEachLevelWhatWasNotSeenAndHowCompleteThatIs) {
  EXPECT_THAT(
      isolation_lines(hunt_at_levels()),
      ElementsAre(
          "Isolation level repeatable-read: no G0, nor G-single in 100 schedules of 2 "
          "inputs (of 1 of these inputs all schedules with one preemption). Allowed, and "
          "reached: G2-item in 7.",
          kSerializable,
          "Isolation level snapshot: seen, though it forbids that: G-single in 2 of 20 "
          "schedules of 1 input (of 0 of these inputs all schedules with one preemption). Allowed, "
          "and reached: G2-item in 1."));
  EXPECT_THAT(isolation_lines(some_hunt()), IsEmpty());
}

TEST(IsolationText, StandsInTheSummaryInTheJsonAndOnThePage) {
  const HuntFolder folder(hunt_at_levels());
  EXPECT_THAT(summary_text(hunt_at_levels()), HasSubstr(kSerializable));
  const ReportData data = read_report_data(folder.out());
  EXPECT_EQ(isolation_lines(data.hunt), isolation_lines(hunt_at_levels())) << "from hunt.json";
  EXPECT_THAT(report_html(data, folder.out()), HasSubstr(kSerializable));
}

}  // namespace
}  // namespace esox
