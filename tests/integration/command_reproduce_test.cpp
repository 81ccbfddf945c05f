// SPDX-License-Identifier: Apache-2.0
// Findings of real servers shown without esox: by the script that `esox reproduce` leaves, on the
// server and on its next release; what it says where there is nothing to see; what it leaves
// behind.
#include <signal.h>

#include <fstream>
#include <random>
#include <thread>

#include "base/process/process.h"
#include "targets/reproduce_script.h"
#include "tests/integration/command_fixture.h"
#include "tests/integration/real_servers.h"

namespace esox {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;
using namespace std::chrono_literals;

// A listing beside a statement that renames two tables.
constexpr const char* kRename = R"(id: rename
setup:
  - CREATE TABLE t1 (a INT) ENGINE=InnoDB
  - CREATE TABLE t2 (a INT) ENGINE=InnoDB
clients:
  - requests: ["SHOW TABLES"]
  - requests: ["RENAME TABLE t1 TO t3, t2 TO t1"]
)";

// The rename, held before its second table, as made by hand.
json rename_plan() {
  return json::parse(R"({
    "format": 1, "title": "a listing of half a RENAME", "violation": "outcome",
    "server": {"kind": "mariadb", "program": "mariadbd", "options": []},
    "setup": ["CREATE TABLE t1 (a INT) ENGINE=InnoDB", "CREATE TABLE t2 (a INT) ENGINE=InnoDB"],
    "clients": [{"name": "A", "setup": [], "requests": ["SHOW TABLES"]},
                {"name": "B", "setup": [], "requests": ["RENAME TABLE t1 TO t3, t2 TO t1"]}],
    "observations": [], "ordered": [], "compared": ["A1"],
    "segments": [{"client": "B", "request": 0, "until": "place",
                  "place": {"function": "mysql_rename_table", "at": "entry"}, "hit": 2},
                 {"client": "A", "request": 0, "until": "end"}]})");
}

class Reproducing : public CommandTest {
 protected:
  void SetUp() override {
    if (esox({"doctor"}).out.find("no thread can be held") != std::string::npos) {
      GTEST_SKIP() << "this machine lets no thread be held: `esox doctor` says why";
    }
  }

  // The first finding of a hunt; empty: there was none.
  fs::path found_by(const std::vector<std::string>& more) {
    std::vector<std::string> line = {"hunt", "--seed", "1", "--no-gate", "--out", "out"};
    line.insert(line.end(), more.begin(), more.end());
    EXPECT_EQ(esox(line).status, 1);
    const auto found = findings_in(folder() / "out");
    return found.empty() ? fs::path() : found.front();
  }

  // reproduce.py beside this reproduce.json, and nothing else.
  fs::path alone(const json& plan) {
    fs::path at = folder() / "alone";
    fs::create_directories(at);
    std::ofstream(at / "reproduce.py") << kReproduceScript;
    std::ofstream(at / "reproduce.json") << plan.dump();
    return at;
  }

  std::unique_ptr<Process> started(const fs::path& at, const std::vector<std::string>& options) {
    ProcessPlan plan;
    plan.program = "/usr/bin/env";
    plan.arguments = {"python3", (at / "reproduce.py").string()};
    plan.arguments.insert(plan.arguments.end(), options.begin(), options.end());
    plan.environment = {"TMPDIR=" + folder().string()};
    plan.folder = folder();
    plan.log = folder() / "said";
    return std::make_unique<Process>(plan);
  }

  Said play(const fs::path& at, const std::vector<std::string>& options = {}) {
    const auto ended = started(at, options)->wait(100s);
    return {ended && ended->signal == 0 ? ended->code : -1, read(folder() / "said"), ""};
  }

  // Of servers, and of the folders in which they lived.
  bool nothing_is_left() {
    const auto folders = [&] {
      return std::count_if(
          fs::directory_iterator(folder()), fs::directory_iterator(),
          [](const auto& entry) { return entry.path().filename().string().starts_with("repro-"); });
    };
    return all_gone(30s) && wait_until([&] { return folders() == 0; }, 30s);
  }
};

TEST_F(Reproducing, ARenameIsSeenHalfDoneInEveryRoundHereAndOnTheNextRelease) {
  const fs::path found = found_by({write("rename.yaml", kRename), "--executions", "200"});
  ASSERT_FALSE(found.empty());
  const Said said = esox({"reproduce", found.string()}, 200s);
  ASSERT_EQ(said.status, 1) << said.out << said.err;
  EXPECT_THAT(said.out, HasSubstr("violated 20 of 20, held: "));
  EXPECT_THAT(said.out, HasSubstr(": 0 of 20\n"));
  const fs::path next = fs::path(ESOX_SERVERS) / "mariadb-11.8/usr/sbin/mariadbd";
  if (fs::exists(next)) {
    const Said there = play(alone(rename_plan()), {"--server", next.string()});
    EXPECT_EQ(there.status, 1);
    EXPECT_THAT(there.out, AllOf(HasSubstr("violated 20 of 20"), HasSubstr(": 0 of 20")));
  }
  EXPECT_TRUE(nothing_is_left());
}

TEST_F(Reproducing, AnOldAnswerOfTheQueryCacheTakesTwoHolds) {
  const fs::path found = hunt_until_found("out");
  ASSERT_FALSE(found.empty());
  const Said said = esox({"reproduce", found.string(), "--json"}, 200s);
  ASSERT_EQ(said.status, 1) << said.out << said.err;
  const json reproducer = json::parse(said.out);
  EXPECT_EQ(reproducer["result"]["violated"], 20);
  EXPECT_EQ(reproducer["result"]["control"]["violated"], 0);
  EXPECT_TRUE(nothing_is_left());
}

TEST_F(Reproducing, WhatIsNotThereIsToldApart) {
  json plan = rename_plan();
  json& segments = plan["segments"];
  segments[0]["hit"] = 1;
  const Said held = play(alone(plan), {"--rounds", "5"});
  EXPECT_EQ(held.status, 0);
  EXPECT_THAT(held.out, HasSubstr("violated 0 of 5, held: B at mysql_rename_table (1st time)"));

  segments[0]["hit"] = 9;
  const Said never = play(alone(plan), {"--rounds", "2"});
  EXPECT_EQ(never.status, 2);
  EXPECT_THAT(never.out, HasSubstr("never reached in 2 of 2"));

  segments[0]["place"]["function"] = "no_such_function";
  const Said unknown = play(alone(plan), {"--rounds", "2"});
  EXPECT_EQ(unknown.status, 2);
  EXPECT_THAT(unknown.out, HasSubstr("has no function no_such_function"));

  const Said nowhere = play(alone(plan), {"--server", "/nowhere/mariadbd"});
  EXPECT_EQ(nowhere.status, 2);
  EXPECT_THAT(nowhere.out, HasSubstr("no server /nowhere/mariadbd here"));
  EXPECT_TRUE(nothing_is_left());
}

TEST_F(Reproducing, KilledAtAnyMomentLeavesNothing) {
  const fs::path at = alone(rename_plan());
  std::mt19937 random(1);  // NOLINT(bugprone-random-generator-seed): the same moments each time
  for (int i = 0; i < 10; ++i) {
    const auto script = started(at, {"--rounds", "1000"});
    std::this_thread::sleep_for(std::chrono::milliseconds(random() % 6000));
    ASSERT_TRUE(script->alive());
    if (i % 2 == 0) {
      script->kill();
    } else {
      script->terminate();
      ASSERT_TRUE(script->wait(30s));
    }
    EXPECT_TRUE(nothing_is_left()) << i;
  }
}

TEST_F(Reproducing, TheStaleNumberOfAMemcachedIsSeenInEveryRound) {
  const fs::path program = fs::path(ESOX_MEMCACHED) / "debian/usr/bin/memcached";
  if (!fs::exists(program)) GTEST_SKIP() << program << " is not there; `make memcached` fetches it";
  const std::string input = write("incr.yaml", R"(id: incr
server: memcached
setup: ["set k 0 0 2\n12"]
clients:
  - requests: ["gets k"]
  - requests: ["incr k 3"]
)");
  const fs::path found = found_by({input, "--executions", "2000", "--server", program.string()});
  ASSERT_FALSE(found.empty());
  const Said said = esox({"reproduce", found.string()}, 200s);
  EXPECT_EQ(said.status, 1) << said.out << said.err;
  EXPECT_THAT(said.out, AllOf(HasSubstr("violated 20 of 20"), HasSubstr(": 0 of 20\n")));
  EXPECT_TRUE(nothing_is_left());
}

TEST_F(Reproducing, AFindingThatIsMendedDoesNotCome) {
  const fs::path found = hunt_until_found("out");
  ASSERT_FALSE(found.empty());
  const Said said = esox({"reproduce", found.string(), "--server-option=--query-cache-size=0"});
  EXPECT_EQ(said.status, 0) << said.err;
  EXPECT_THAT(said.out, HasSubstr("The violation did not come"));
  EXPECT_FALSE(fs::exists(found / "reproduce.json"));
}

}  // namespace
}  // namespace esox
