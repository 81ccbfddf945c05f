// SPDX-License-Identifier: Apache-2.0
// However a hunt ends, no server is left behind and nothing found is lost.
#include <signal.h>

#include "analysis/finding.h"
#include "harness/records/finding_file.h"
#include "tests/integration/command_fixture.h"

namespace esox {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using testing::HasSubstr;
using testing::SizeIs;
using namespace std::chrono_literals;

class Ending : public CommandTest {
 protected:
  // A hunt that would go on for hours, on an input that breaks in a few per cent of executions.
  pid_t start_endless(const std::string& seed = "1") {
    return start({"hunt", control(), "--engine", "Aria,MyISAM", "--executions", "100000", "--seed",
                  seed, "--no-gate", "--jobs", "2", "--out", "out"},
                 [] {});
  }
  fs::path out() const { return folder() / "out"; }
  json report() const { return json::parse(read(out() / "hunt.json")); }
  bool servers_run(size_t servers) const {
    return wait_until([&] { return processes_left().size() >= servers; }, 20s);
  }
};

TEST_F(Ending, ByKillLeavesNoServerAndLosesNoFinding) {
  const pid_t esox = start_endless();
  ASSERT_TRUE(wait_until([&] { return !findings_in(out()).empty(); }, 90s));
  ASSERT_EQ(kill(esox, SIGKILL), 0);
  EXPECT_EQ(finish(10s).status, 1000 + SIGKILL);
  EXPECT_TRUE(all_gone(30s)) << processes_left().front();

  const auto found = findings_in(out());
  ASSERT_THAT(found, SizeIs(testing::Ge(1u)));
  for (const fs::path& folder : found) {
    EXPECT_EQ(read_finding(folder / "finding.yaml").id, folder.filename());
    EXPECT_FALSE(read(folder / "comparison.txt").empty());
  }
  EXPECT_EQ(report()["ended"], false);
}

TEST_F(Ending, ByKillAfterTheNextSaveIsInTheReport) {
  const pid_t esox = start_endless();
  ASSERT_TRUE(wait_until(
      [&] { return fs::exists(out() / "hunt.json") && !report()["findings"].empty(); }, 90s));
  ASSERT_EQ(kill(esox, SIGKILL), 0);
  finish(10s);
  const json report_now = report();
  EXPECT_GT(report_now["executions"], 0);
  const fs::path folder = report_now["findings"][0]["folder"].get<std::string>();
  EXPECT_NO_THROW(read_finding(folder / "finding.yaml"));
}

TEST_F(Ending, ByTheFirstSignalIsCleanAndKeepsEverything) {
  for (const int signal : {SIGINT, SIGTERM}) {
    fs::remove_all(out());
    const pid_t esox = start_endless();
    ASSERT_TRUE(wait_until([&] { return fs::exists(out() / "hunt.json"); }, 30s));
    ASSERT_TRUE(servers_run(2));
    ASSERT_EQ(kill(esox, signal), 0);
    const Said said = finish(20s);
    EXPECT_THAT(said.status, testing::AnyOf(0, 1)) << said.err;
    EXPECT_THAT(said.out, HasSubstr("Stopped by a signal"));
    EXPECT_EQ(report()["interrupted"], true);
    EXPECT_EQ(report()["ended"], true);
    EXPECT_EQ(said.status == 1, !report()["findings"].empty());
    EXPECT_TRUE(processes_left().empty());
  }
}

TEST_F(Ending, BySignalBeforeTheHuntBeginsWritesNothing) {
  const pid_t esox = start({"hunt", shipped("pairs.yaml"), "--out", "out"}, [] {});
  ASSERT_TRUE(servers_run(1));  // the setups are being checked, or the gate runs
  ASSERT_FALSE(fs::exists(out()));
  ASSERT_EQ(kill(esox, SIGINT), 0);
  const Said said = finish(20s);
  EXPECT_EQ(said.status, 0) << said.err;
  EXPECT_FALSE(fs::exists(out()));
  EXPECT_TRUE(all_gone(30s));
}

TEST_F(Ending, ByTheSecondSignalIsAtOnce) {
  const pid_t esox = start_endless();
  ASSERT_TRUE(wait_until([&] { return fs::exists(out() / "hunt.json"); }, 30s));
  ASSERT_TRUE(servers_run(2));
  ASSERT_EQ(kill(esox, SIGINT), 0);
  ASSERT_TRUE(wait_until(
      [&] { return read(folder().parent_path() / "err").find("once more") != std::string::npos; },
      5s));
  ASSERT_EQ(kill(esox, SIGINT), 0);
  const Said said = finish(3s);
  // Either the second one came in time, or the clean end was faster.
  EXPECT_THAT(said.status, testing::AnyOf(128 + SIGINT, 0, 1)) << said.err;
  EXPECT_TRUE(all_gone(30s));
}

}  // namespace
}  // namespace esox
