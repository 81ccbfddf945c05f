// SPDX-License-Identifier: Apache-2.0
// A user's way with esox: hunt, look at the finding, replay it.
#include "analysis/finding.h"
#include "harness/records/finding_file.h"
#include "tests/integration/command_fixture.h"

namespace esox {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;

TEST_F(CommandTest, AHuntFindsTheControlWhichExplainsItselfAndReplays) {
  const fs::path found = hunt_until_found("out");
  ASSERT_FALSE(found.empty());
  const Finding finding = read_finding(found / "finding.yaml");
  EXPECT_EQ(finding.verdict, VerdictClass::kLatent);
  EXPECT_EQ(finding.id, found.filename());
  EXPECT_GT(finding.clock_base_ns, 0u);
  EXPECT_FALSE(finding.control.empty());
  EXPECT_THAT(read(found / "comparison.txt"), HasSubstr("SELECT a FROM t1"));
  EXPECT_THAT(read(found / "trace.txt"), HasSubstr("switch"));

  const json report = json::parse(read(found.parent_path().parent_path() / "hunt.json"));
  EXPECT_EQ(report["executions"], 10);
  EXPECT_EQ(report["ended"], true);
  EXPECT_EQ(report["findings"][0]["id"], finding.id);
  EXPECT_EQ(report["findings"][0]["executions"], finding.executions);
  EXPECT_EQ(report["findings"][0]["hits"], finding.hits);

  const Said replayed = esox({"replay", found.string(), "--times", "3"});
  EXPECT_EQ(replayed.status, 1) << replayed.err;
  EXPECT_THAT(replayed.out, AllOf(HasSubstr("3 of 3 gave the recorded outcome"),
                                  HasSubstr("LATENT: pike-table-5-2/04-insert-select")));
}

TEST_F(CommandTest, AReplayUnderOtherSettingsOfTheServerSaysThatTheOutcomeDidNotCome) {
  const fs::path found = hunt_until_found("out");
  ASSERT_FALSE(found.empty());
  Finding finding = read_finding(found / "finding.yaml");
  finding.server.options.push_back("--query-cache-size=0");
  finding.server.version = "1.2.3";
  write_finding(finding, folder() / "changed.yaml");
  const Said said = esox({"replay", "changed.yaml", "--json"});
  EXPECT_EQ(said.status, 0) << said.err;
  const json report = json::parse(said.out);
  EXPECT_EQ(report["same"], 0);
  EXPECT_EQ(report["times"], 1);
  EXPECT_THAT(said.err, HasSubstr("another version"));
}

TEST_F(CommandTest, AHuntTellsItsResultAsJsonAndItsProgressApart) {
  const Said said = esox({"hunt", shipped("negative/readers.yaml"), "--engine", "MyISAM",
                          "--executions", "1", "--seed", "5", "--jobs", "1", "--json"});
  EXPECT_EQ(said.status, 0) << said.err;
  const json report = json::parse(said.out);
  EXPECT_EQ(report["seed"], 5);
  EXPECT_TRUE(report["findings"].empty());
  EXPECT_EQ(report["executions"], report["explorations"]);
  EXPECT_EQ(report["gate"]["same_outcome"], report["gate"]["runs"]);
  EXPECT_THAT(said.err, HasSubstr("gate: same seed twice gave the same trace"));
  EXPECT_TRUE(all_gone(std::chrono::seconds(30)));
}

TEST_F(CommandTest, AHuntBeginsWithWhatAnEarlierOneLearnt) {
  const auto hunt = [&](const std::string& out, const std::string& executions,
                        const std::vector<std::string>& more) {
    std::vector<std::string> arguments = {
        "hunt",      control(),           "--engine", "Aria",   "--seed",
        "101",       "--executions",      executions, "--jobs", "1",
        "--no-gate", "--diagnose-budget", "0",        "--out",  out};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return esox(arguments);
  };
  const auto judged_by_arms = [&](const std::string& out) {
    const json report = json::parse(read(folder() / out / "hunt.json"));
    uint64_t judged = 0;
    for (const json& arm : report["explored"][0]["arms"]) judged += arm["judged"].get<uint64_t>();
    return judged;
  };
  ASSERT_EQ(hunt("first", "100", {}).status, 1);
  const Said second = hunt("second", "30", {"--learn-from", "first"});
  EXPECT_EQ(second.status, 1) << second.err;
  EXPECT_THAT(second.err, HasSubstr("begins with what earlier hunts learnt of 1 of 1 inputs"));
  EXPECT_EQ(judged_by_arms("second"), 30u) << "what an earlier hunt executed is not counted again";
  const Said none = hunt("third", "10", {"--learn-from", "nowhere"});
  EXPECT_EQ(none.status, 2);
  EXPECT_THAT(none.err, HasSubstr("nowhere holds no hunt"));
}

TEST_F(CommandTest, ABudgetEndsAHunt) {
  const Said said = esox({"hunt", control(), "--engine", "Aria", "--executions", "100000",
                          "--budget", "2s", "--no-gate", "--json"});
  EXPECT_THAT(said.status, testing::AnyOf(0, 1)) << said.err;
  const json report = json::parse(said.out);
  EXPECT_EQ(report["interrupted"], false);
  EXPECT_EQ(report["ended"], true);
  EXPECT_GE(report["seconds"].get<double>(), 2.0);
  EXPECT_LT(report["seconds"].get<double>(), 20.0);
}

TEST_F(CommandTest, ARunShowsEachDistinctOutcomeAndTheOrdersThatExplainIt) {
  const Said said =
      esox({"run", control(), "--engine", "MyISAM", "--executions", "12", "--seed", "1", "--json"});
  EXPECT_EQ(said.status, 0) << said.err;
  const json run = json::parse(said.out)["runs"][0];
  uint64_t executions = 0;
  for (const json& outcome : run["outcomes"]) {
    executions += outcome["count"].get<uint64_t>();
    EXPECT_EQ(outcome["class"], "none");
    EXPECT_EQ(outcome["orders"].size(), 1u);
  }
  EXPECT_EQ(executions, 12u);
  EXPECT_EQ(run["serial_orders"].size(), 2u);

  const Said text = esox(
      {"run", control(), "--engine", "MyISAM", "--executions", "1", "--from", "7", "--seed", "1"});
  EXPECT_THAT(text.out, AllOf(HasSubstr("1 concurrent execution, 1 distinct outcome"),
                              HasSubstr("first in execution 7")));
}

TEST_F(CommandTest, TheDoctorSaysThatThisMachineCanHunt) {
  const Said said = esox({"doctor", "--json"});
  EXPECT_EQ(said.status, 0) << said.out;
  const json report = json::parse(said.out);
  EXPECT_EQ(report["possible"], true);
  std::vector<std::string> names;
  for (const json& check : report["checks"]) names.push_back(check["name"]);
  EXPECT_THAT(names, testing::IsSupersetOf({"server", "start", "stacks", "trial", "cores"}));
}

}  // namespace
}  // namespace esox
