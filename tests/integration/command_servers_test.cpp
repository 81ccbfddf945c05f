// SPDX-License-Identifier: Apache-2.0
// The command on each real server: it says that it can hunt it, hunts a pair from snapshots,
// replays what it found, judges a killed session, and leaves nothing.
#include "tests/integration/command_fixture.h"
#include "tests/integration/real_servers.h"

namespace esox {
namespace {

using nlohmann::json;
using testing::AnyOf;
using testing::HasSubstr;
using testing::Not;

class HuntedServer : public CommandTest, public testing::WithParamInterface<RealServer> {
 protected:
  void SetUp() override { ESOX_SKIP_UNLESS_THERE(GetParam()); }

  Said on_server(std::vector<std::string> words) {
    if (const std::string program = GetParam().program(); !program.empty())
      words.insert(words.end(), {"--server", program});
    return esox(words);
  }
};

TEST_P(HuntedServer, IsCalledFitByDoctor) {
  const Said said = on_server({"doctor"});
  EXPECT_EQ(said.status, 0) << said.err;
  EXPECT_THAT(said.out, HasSubstr("Hunting is possible"));
}

TEST_P(HuntedServer, IsHuntedFromSnapshotsAndAFindingReplays) {
  const Said hunt =
      on_server({"hunt", shipped("pike-table-5-2/11-optimize-drop.yaml"), "--engine", "InnoDB",
                 "--executions", "8", "--seed", "1", "--jobs", "1", "--isolation", "snapshot",
                 "--diagnose-budget", "1s", "--out", "out"});
  ASSERT_THAT(hunt.status, AnyOf(0, 1)) << hunt.err;
  EXPECT_THAT(hunt.err, HasSubstr("the same trace 1 of 1, the same outcome 1 of 1"));
  const json report = json::parse(read(folder() / "out/hunt.json"));
  EXPECT_EQ(report["executions"], 8);
  EXPECT_EQ(report["degraded"], 0);
  EXPECT_EQ(report["server_failures"], 0);
  EXPECT_GT(report["snapshots"]["forked"], 0);
  EXPECT_EQ(report["snapshots"]["restarted"], 0) << report["snapshots"]["restarted_because"];
  for (const auto& finding : findings_in(folder() / "out")) {
    const Said replay = on_server({"replay", finding.string(), "--times", "1", "--json"});
    ASSERT_EQ(replay.status, 1) << replay.err;
    EXPECT_EQ(json::parse(replay.out)["same"], 1);
  }
  EXPECT_TRUE(all_gone(std::chrono::seconds(5))) << testing::PrintToString(processes_left());
}

// MySQL's KILL spins until the session's thread has noticed.
TEST_P(HuntedServer, ASessionThatIsKilledIsJudged) {
  const Said said = on_server({"run", shipped("background.yaml"), "--id",
                               "background/kill-connection", "--executions", "40", "--seed", "1"});
  EXPECT_EQ(said.status, 0) << said.out << said.err;
  EXPECT_THAT(said.out, Not(HasSubstr("not judged")));
}

INSTANTIATE_TEST_SUITE_P(Servers, HuntedServer, testing::ValuesIn(kRealServers), test_name);

}  // namespace
}  // namespace esox
