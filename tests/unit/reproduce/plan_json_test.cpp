// SPDX-License-Identifier: Apache-2.0
// What a script compares of a finding in which an isolation level was broken.
#include "harness/findings/reproduce/plan_json.h"

#include <gtest/gtest.h>

namespace esox {
namespace {

using Json = nlohmann::ordered_json;

Output rows(std::vector<Row> rows) {
  Output output{.answered = true};
  output.results = {{{{"id", "int"}}, std::move(rows)}};
  return output;
}

// That a statement finds nothing, or changes nothing, may be what was wrong with it.
TEST(PlanJson, ComparesWhatWasReadAndWhatWasChangedNothingIncluded) {
  Finding finding;
  finding.input.input.clients = {{.name = "A", .requests = {Request{"SELECT 1", false}}},
                                 {.name = "B",
                                  .requests = {Request{"SELECT 2", false}, Request{"DELETE", false},
                                               Request{"SELECT 3", false}, Request{"UPDATE", false},
                                               Request{"COMMIT", false}}}};
  finding.anomaly.name = "G-single";
  Output failed{.answered = true};
  failed.error = 1213;
  Output changed{.answered = true};
  changed.affected_rows = 2;
  finding.outcome.outputs = {
      {rows({})}, {rows({{"2"}, {"1"}}), Output{.answered = true}, failed, changed, Output()}};
  const Json plan = plan_json(finding, "a row is not found", {}, {});
  EXPECT_EQ(plan.at("compared"), Json::parse(R"(["A1", "B1", "B2", "B3", "B4"])"));
  EXPECT_EQ(plan.at("wrong"), Json::parse(R"({
      "A1": [], "B1": [["row", "1"], ["row", "2"]], "B2": [], "B3": [["error 1213"]],
      "B4": [["2 affected"]]})"));
}

}  // namespace
}  // namespace esox
