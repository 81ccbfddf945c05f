// SPDX-License-Identifier: Apache-2.0
// The positive control diagnosed on the real server: few switches, the one that decides, the words.
#include "analysis/finding.h"
#include "harness/records/finding_file.h"
#include "tests/integration/command_fixture.h"

namespace esox {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;

class Diagnosing : public CommandTest {
 protected:
  fs::path found_with(const std::string& seed) {
    const Said said =
        esox({"hunt", control(), "--engine", "Aria", "--strategy", "pct:d=3", "--executions", "100",
              "--seed", seed, "--no-gate", "--diagnose-budget", "0", "--out", "out" + seed});
    EXPECT_EQ(said.status, 1) << said.err;
    const auto found = findings_in(folder() / ("out" + seed));
    return found.empty() ? fs::path() : found.front();
  }
};

TEST_F(Diagnosing, TheControlEndsAtThreeSwitchesOfWhichOneIsConfirmedBySwapping) {
  for (const char* seed : {"101", "202", "303"}) {
    const fs::path found = found_with(seed);
    ASSERT_FALSE(found.empty()) << seed;
    const Said said = esox({"diagnose", found.string(), "--budget", "80s", "--json"});
    ASSERT_EQ(said.status, 1) << said.err;
    const json diagnosis = json::parse(said.out);
    EXPECT_LE(diagnosis["fewest_switches"], 3);
    ASSERT_TRUE(diagnosis["critical"].is_object()) << said.out;
    EXPECT_EQ(diagnosis["critical"]["confirmed"], true);
    EXPECT_FALSE(diagnosis["critical"]["other"].is_null()) << "the pair is named";
    EXPECT_EQ(diagnosis["critical"]["stacks"].size(), 2);
    EXPECT_THAT(diagnosis["critical"]["sentence"].get<std::string>(), HasSubstr("Client A was"));
    EXPECT_THAT(read(found / "diagnosis.txt"),
                AllOf(HasSubstr("confirmed:"), HasSubstr("Stack of")));
  }
  EXPECT_TRUE(all_gone(std::chrono::seconds(30)));
}

TEST_F(Diagnosing, IsTheSameEachTime) {
  const fs::path found = found_with("101");
  ASSERT_FALSE(found.empty());
  EXPECT_EQ(esox({"diagnose", found.string(), "--budget", "80s"}).out,
            esox({"diagnose", found.string(), "--budget", "80s"}).out);
}

TEST_F(Diagnosing, SaysWhereTheBudgetEndedAndWhatItKnowsByThen) {
  const fs::path found = found_with("101");
  ASSERT_FALSE(found.empty());
  const Said said = esox({"diagnose", found.string(), "--executions", "3"});
  EXPECT_EQ(said.status, 1) << said.err;
  EXPECT_THAT(said.out, AllOf(HasSubstr("No critical switch: the budget was spent"),
                              HasSubstr("It took 3 executions")));
}

TEST_F(Diagnosing, AViolationThatDoesNotComeIsSaidAndNothingIsWritten) {
  const fs::path found = found_with("101");
  ASSERT_FALSE(found.empty());
  Finding finding = read_finding(found / "finding.yaml");
  finding.server.options.push_back("--query-cache-size=0");
  write_finding(finding, folder() / "changed.yaml");
  const Said said = esox({"diagnose", "changed.yaml"});
  EXPECT_EQ(said.status, 0) << said.err;
  EXPECT_THAT(said.out, HasSubstr("did not give its violation here"));
  EXPECT_FALSE(fs::exists(folder() / "diagnosis.txt"));
}

TEST_F(Diagnosing, BadBudgetsAndMissingFindingsAreRefusedInOneLine) {
  const Said budget = esox({"diagnose", "finding.yaml", "--budget", "soon"});
  EXPECT_EQ(budget.status, 2);
  EXPECT_THAT(budget.err, HasSubstr("--budget soon: not a duration"));
  EXPECT_EQ(esox({"diagnose", "nowhere"}).status, 2);
}

}  // namespace
}  // namespace esox
