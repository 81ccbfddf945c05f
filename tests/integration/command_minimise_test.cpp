// SPDX-License-Identifier: Apache-2.0
// Findings made smaller on the real server: the positive control, as it is and with much around it
// that has no part in it; and what a hunt does with its findings at its end.
#include "analysis/finding.h"
#include "harness/records/finding_file.h"
#include "tests/integration/command_fixture.h"

namespace esox {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using testing::SizeIs;

// The control, with a third client, other tables, other requests, observations.
constexpr const char* kPadded = R"(id: padded
setup:
  - SET @unused = 1
  - CREATE TABLE other (a INT) ENGINE=${engine}
  - CREATE TABLE t1 (a INT) ENGINE=${engine}
  - INSERT INTO other VALUES (1),(2),(3)
  - INSERT INTO t1 (a) VALUES (1),(2),(3)
  - FLUSH TABLES
clients:
  - name: A
    setup: [SET NAMES utf8mb4]
    requests: [SELECT 1, SELECT a FROM t1]
  - name: B
    requests:
      - INSERT INTO t1 (a) VALUES (10),(11),(12)
      - SELECT 2
  - name: C
    requests: [SELECT 3]
observations: [SELECT a FROM other]
)";

class Minimising : public CommandTest {
 protected:
  fs::path found_with(const std::string& input, const std::string& seed) {
    const Said said =
        esox({"hunt", input, "--engine", "Aria", "--strategy", "pct:d=3", "--executions", "200",
              "--seed", seed, "--no-gate", "--out", "out" + seed, "--diagnose-budget", "0"});
    EXPECT_EQ(said.status, 1) << said.err;
    for (const fs::path& found : findings_in(folder() / ("out" + seed))) {
      if (read_finding(found / "finding.yaml").verdict == VerdictClass::kLatent) return found;
    }
    return {};
  }
};

TEST_F(Minimising, TheControlEndsAtTwoStatementsAndAtMostThreeSwitches) {
  for (const char* seed : {"101", "202", "303"}) {
    const fs::path found = found_with(control(), seed);
    ASSERT_FALSE(found.empty()) << seed;
    const Said said = esox({"minimise", found.string(), "--budget", "1h", "--json"});
    ASSERT_EQ(said.status, 1) << said.err;
    const json minimised = json::parse(said.out);
    EXPECT_EQ(minimised["after"]["requests"], 2);
    EXPECT_EQ(minimised["verified"], true) << said.out;
    const Said diagnosed =
        esox({"diagnose", (found / "minimised.yaml").string(), "--budget", "1h", "--json"});
    ASSERT_EQ(diagnosed.status, 1) << diagnosed.err;
    EXPECT_LE(json::parse(diagnosed.out)["fewest_switches"], 3);
    EXPECT_TRUE(fs::exists(found / "minimised-diagnosis.json"));
  }
  EXPECT_TRUE(all_gone(std::chrono::seconds(30)));
}

TEST_F(Minimising, WhatHasNoPartInTheViolationGoes) {
  const fs::path found = found_with(write("padded.yaml", kPadded), "5");
  ASSERT_FALSE(found.empty());
  const Said said = esox({"minimise", found.string(), "--budget", "1h"});
  ASSERT_EQ(said.status, 1) << said.err;
  const Finding whole = read_finding(found / "finding.yaml");
  const Finding smaller = read_finding(found / "minimised.yaml");
  const Input& left = smaller.input.input;
  ASSERT_THAT(left.clients, SizeIs(2));
  ASSERT_THAT(left.clients[0].requests, SizeIs(1));
  ASSERT_THAT(left.clients[1].requests, SizeIs(1));
  EXPECT_EQ(left.clients[0].requests[0].text, "SELECT a FROM t1");
  EXPECT_EQ(left.clients[1].requests[0].text, "INSERT INTO t1 (a) VALUES (10)") << "one row";
  EXPECT_THAT(left.setup, Not(testing::Contains(HasSubstr("other"))));
  EXPECT_TRUE(left.observations.empty());
  EXPECT_EQ(smaller.verdict, whole.verdict);
  EXPECT_THAT(left.origin, HasSubstr("minimised from finding " + whole.id));
  EXPECT_EQ(read(found / "minimised.txt"), said.out);
  const Said again = esox(
      {"replay", (found / "minimised.yaml").string(), "--times", "3", "--isolation", "restart"});
  EXPECT_THAT(again.out, HasSubstr("3 of 3 gave the recorded outcome"));
}

TEST_F(Minimising, IsTheSameEachTimeWhereExecutionsBoundIt) {
  const fs::path found = found_with(control(), "101");
  ASSERT_FALSE(found.empty());
  const auto once = [&] {
    return esox({"minimise", found.string(), "--budget", "1h", "--executions", "300"}).out;
  };
  const std::string first = once();
  const std::string smaller = read(found / "minimised.yaml");
  EXPECT_EQ(once(), first);
  EXPECT_EQ(read(found / "minimised.yaml"), smaller);
}

TEST_F(Minimising, ASpentBudgetIsSaidAndTheFindingStays) {
  const fs::path found = found_with(control(), "101");
  ASSERT_FALSE(found.empty());
  const Said said = esox({"minimise", found.string(), "--executions", "1"});
  EXPECT_EQ(said.status, 1) << said.err;
  EXPECT_THAT(said.out, AllOf(HasSubstr("The budget was spent"), HasSubstr("Verified")));
  EXPECT_EQ(read_finding(found / "minimised.yaml").input.input.setup,
            read_finding(found / "finding.yaml").input.input.setup);
}

TEST_F(Minimising, AViolationThatDoesNotComeIsSaidAndNothingIsWritten) {
  const fs::path found = found_with(control(), "101");
  ASSERT_FALSE(found.empty());
  Finding finding = read_finding(found / "finding.yaml");
  finding.server.options.push_back("--query-cache-size=0");
  write_finding(finding, folder() / "changed.yaml");
  const Said said = esox({"minimise", "changed.yaml"});
  EXPECT_EQ(said.status, 0) << said.err;
  EXPECT_THAT(said.out, HasSubstr("did not give its violation here"));
  EXPECT_FALSE(fs::exists(folder() / "minimised.yaml"));
}

TEST_F(Minimising, TheSmallerFindingIsOfTheServerOnWhichItWasMade) {
  const fs::path found = found_with(control(), "101");
  ASSERT_FALSE(found.empty());
  const std::string option = "--max-connections=77";
  const Said said = esox({"minimise", found.string(), "--budget", "1h", "--executions", "300",
                          "--server-option=" + option});
  ASSERT_EQ(said.status, 1) << said.err;
  EXPECT_THAT(read_finding(found / "minimised.yaml").server.options, testing::Contains(option));
  EXPECT_THAT(read_finding(found / "finding.yaml").server.options, Not(testing::Contains(option)));
}

TEST_F(Minimising, AHuntTellsTheCriticalSwitchUnderEachFinding) {
  const Said said = esox({"hunt", control(), "--engine", "Aria", "--executions", "100", "--seed",
                          "101", "--no-gate", "--out", "told", "--diagnose-budget", "1h"});
  ASSERT_EQ(said.status, 1) << said.err;
  EXPECT_THAT(said.out, AllOf(HasSubstr("critical: Client A"), HasSubstr("smaller:")));
  const json hunt = json::parse(read(folder() / "told" / "hunt.json"));
  for (const json& finding : hunt["findings"]) {
    EXPECT_THAT(finding["critical"].get<std::string>(), HasSubstr("Client")) << finding;
    const fs::path found = finding["folder"].get<std::string>();
    EXPECT_TRUE(fs::exists(found / "diagnosis.json"));
    EXPECT_TRUE(fs::exists(found / "minimised.yaml"));
  }
}

TEST_F(Minimising, ABudgetOfNoneLeavesAHuntsFindingsAsTheyAre) {
  const fs::path found = found_with(control(), "101");
  ASSERT_FALSE(found.empty());
  EXPECT_FALSE(fs::exists(found / "diagnosis.json"));
  EXPECT_FALSE(fs::exists(found / "minimised.yaml"));
}

TEST_F(Minimising, BadBudgetsAreRefusedInOneLine) {
  const Said budget = esox({"minimise", "finding.yaml", "--budget", "soon"});
  EXPECT_EQ(budget.status, 2);
  EXPECT_THAT(budget.err, HasSubstr("--budget soon: not a duration"));
  EXPECT_EQ(esox({"minimise", "nowhere"}).status, 2);
  const Said hunt = esox({"hunt", control(), "--diagnose-budget", "-1"});
  EXPECT_EQ(hunt.status, 2);
  EXPECT_THAT(hunt.err, HasSubstr("--diagnose-budget"));
}

}  // namespace
}  // namespace esox
