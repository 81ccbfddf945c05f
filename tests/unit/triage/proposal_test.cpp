// SPDX-License-Identifier: Apache-2.0
#include "harness/records/triage/proposal.h"

#include <gmock/gmock.h>

#include "filters/reader.h"
#include "harness/engine/known_servers.h"
#include "harness/records/triage/filter_trial.h"
#include "tests/unit/triage/findings.h"

namespace esox {
namespace {

using testing::AllOf;
using testing::HasSubstr;

const std::vector<std::string> kRows = {"1", "2"};

// The proposal is read by the reader of filters, and hides the finding it is for.
std::string proposed_and_tried(const Finding& finding) {
  const Proposal proposal = propose_rules(finding);
  EXPECT_EQ(proposal.why_not, "");
  const auto rules =
      std::make_shared<const RuleSet>(parse_rules(proposal.yaml, "proposal", known_servers()));
  EXPECT_EQ(try_rules(finding, rules).fate, TrialFate::kHidden) << proposal.yaml;
  return proposal.yaml;
}

TEST(Proposal, OfMissingRowsIsOneDirectionOfOneStatementBesideTheOther) {
  const Finding finding = finding_with(read_and_write(rows_reply({"1"}), kRows),
                                       read_and_write(rows_reply({"1", "2"}), kRows));
  EXPECT_THAT(proposed_and_tried(finding),
              AllOf(HasSubstr("kind: included"), HasSubstr("reply: rows"),
                    HasSubstr("direction: in-serial"), HasSubstr("statement: [SELECT]"),
                    HasSubstr("beside: [INSERT]"), HasSubstr("object: 't1'"),
                    HasSubstr("engine: Aria"), HasSubstr("TO BE FILLED IN")));
}

TEST(Proposal, DoesNotHideTheOtherDirection) {
  const Finding missing = finding_with(read_and_write(rows_reply({"1"}), kRows),
                                       read_and_write(rows_reply({"1", "2"}), kRows));
  const Finding extra = finding_with(read_and_write(rows_reply({"1", "2", "3"}), kRows),
                                     read_and_write(rows_reply({"1", "2"}), kRows));
  const auto rules = std::make_shared<const RuleSet>(
      parse_rules(propose_rules(missing).yaml, "proposal", known_servers()));
  EXPECT_EQ(try_rules(extra, rules).fate, TrialFate::kStays);
}

TEST(Proposal, OfOtherValuesNamesOnlyTheColumnsThatDiffer) {
  Output seen = rows_reply({"1"});
  seen.results[0].rows[0][1] = "later";
  const Finding finding =
      finding_with(read_and_write(seen, kRows), read_and_write(rows_reply({"1"}), kRows));
  EXPECT_THAT(proposed_and_tried(finding),
              AllOf(HasSubstr("kind: ignore"), HasSubstr("column: 'when'")));
}

TEST(Proposal, OfAStateNamesTheComponentAndTheDirection) {
  const Finding finding = finding_with(read_and_write(rows_reply({"1"}), {"1", "2", "3"}),
                                       read_and_write(rows_reply({"1"}), {"1", "2"}));
  EXPECT_THAT(proposed_and_tried(finding),
              AllOf(HasSubstr("component: 'rows:test.t1'"), HasSubstr("direction: holds-serial")));
}

TEST(Proposal, OfSeveralDifferencesIsARuleForEach) {
  Outcome seen = read_and_write(rows_reply({"1"}), {"1", "2", "3"});
  seen.outputs[1][0].affected_rows = 7;
  const Finding finding = finding_with(seen, read_and_write(rows_reply({"1", "2"}), {"1", "2"}));
  EXPECT_THAT(proposed_and_tried(finding),
              AllOf(HasSubstr("affected-rows"), HasSubstr("0123456789abcdef-3")));
}

TEST(Proposal, OfAnErrorInPlaceOfSuccessToleratesThatError) {
  Output failed;
  failed.answered = true;
  failed.error = 1213;
  failed.sql_state = "40001";
  const Finding finding =
      finding_with(read_and_write(failed, kRows), read_and_write(rows_reply({"1"}), kRows));
  const Proposal proposal = propose_rules(finding);
  EXPECT_THAT(proposal.yaml, AllOf(HasSubstr("kind: tolerate"), HasSubstr("errors: [1213]")));
  EXPECT_NO_THROW(parse_rules(proposal.yaml, "proposal", known_servers()));
}

TEST(Proposal, IsNoneForACrashOrForSuccessInPlaceOfAnError) {
  Finding crash = finding_with({}, {});
  crash.ending = EndingKind::kCrash;
  EXPECT_THAT(propose_rules(crash).why_not, HasSubstr("crash"));
  Output failed;
  failed.answered = true;
  failed.error = 1146;
  const Finding finding =
      finding_with(read_and_write(rows_reply({"1"}), kRows), read_and_write(failed, kRows));
  EXPECT_THAT(propose_rules(finding).why_not, HasSubstr("success"));
}

}  // namespace
}  // namespace esox
