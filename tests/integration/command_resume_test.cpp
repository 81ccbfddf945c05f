// SPDX-License-Identifier: Apache-2.0
// A hunt that was killed, and went on, finds what an undisturbed one finds.
//
// Hits are compared where no execution was degraded: on a machine that is so busy that control is
// lost, two undisturbed hunts differ too.
#include <signal.h>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <map>
#include <random>
#include <thread>

#include "analysis/finding.h"
#include "harness/records/finding_file.h"
#include "harness/records/hunt_state.h"
#include "tests/integration/command_fixture.h"

namespace esox {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;
using namespace std::chrono_literals;

class Resuming : public CommandTest {
 protected:
  // Of two inputs, of which one breaks, on two engines; the one with many requests has a graph.
  std::vector<std::string> hunt_into(const std::string& out, const std::string& executions) {
    return {"hunt",
            control(),
            shipped("pike-table-5-2/11-optimize-drop.yaml"),
            "--executions",
            executions,
            "--engine",
            "Aria,MyISAM",
            "--seed",
            "5",
            "--jobs",
            "2",
            "--no-gate",
            "--learn",
            "on",
            "--out",
            out};
  }

  json report(const std::string& out) const {
    return json::parse(read(folder() / out / "hunt.json"));
  }

  // What does not depend on clocks and machines, by finding.
  static std::map<std::string, std::string> essence(const json& report) {
    std::map<std::string, std::string> all;
    const bool exact = report["degraded"] == 0;
    for (const json& one : report["findings"]) {
      all[one["id"]] = one["cause"].dump();
      if (!exact) continue;
      for (const char* key : {"hits", "executions", "first_execution", "seed"}) {
        all[one["id"]] += " " + one[key].dump();
      }
    }
    if (!exact) return all;
    for (const char* key : {"executions", "serial_executions", "serial_steps", "serial_states",
                            "replays", "explorations_touched", "explored"}) {
      all[key] = report[key].dump();
    }
    // Which of these came first depends on the workers' speed.
    for (const char* key : {"nondeterminism", "unconfirmed"}) {
      std::vector<std::string> entries;
      for (const json& one : report[key]) entries.push_back(one.dump());
      std::sort(entries.begin(), entries.end());
      all[key] = testing::PrintToString(entries);
    }
    return all;
  }

  void expect_same(const json& disturbed, const json& undisturbed) const {
    json left = disturbed;
    json right = undisturbed;
    left["degraded"] = right["degraded"] = std::max(left["degraded"], right["degraded"]);
    EXPECT_EQ(essence(left), essence(right));
  }

  std::string written(const std::string& out) const {
    std::error_code error;
    const auto time = fs::last_write_time(folder() / out / "hunt.json", error);
    return std::to_string(time.time_since_epoch().count());
  }

  // Begins the hunt, or goes on with it, and kills it after so long; false if it had ended by then.
  // `begun`: the time counts from the first execution on, else from the process's first moment.
  bool killed_after(std::chrono::milliseconds delay, bool begun,
                    const std::vector<std::string>& first) {
    std::vector<std::string> arguments = {"hunt", "--resume", "out", "--no-store"};
    if (hunt_in(folder() / "out") == HuntInFolder::kNone) {
      fs::remove_all(folder() / "out");
      arguments = first;
    }
    const std::string before = written("out");
    const pid_t esox = start(arguments, [] {});
    if (begun) wait_until([&] { return written("out") != before; }, 60s);
    std::this_thread::sleep_for(delay);
    kill(esox, SIGKILL);
    const Said said = finish(20s);
    EXPECT_THAT(said.status, testing::AnyOf(0, 1, 1000 + SIGKILL)) << said.err;
    return said.status == 1000 + SIGKILL;
  }

  // The folders say what the report says.
  void expect_whole_findings(const json& report) const {
    for (const json& one : report["findings"]) {
      const Finding finding = read_finding(fs::path(one["folder"]) / "finding.yaml");
      EXPECT_EQ(finding.hits, one["hits"]);
      EXPECT_EQ(finding.executions, one["executions"]);
    }
    EXPECT_EQ(findings_in(folder() / "out").size(), report["findings"].size());
  }

  void compare_with_kills(int kills, const std::string& executions,
                          std::chrono::milliseconds longest) {
    const Said undisturbed = esox(hunt_into("undisturbed", executions), 1500s);
    ASSERT_THAT(undisturbed.status, testing::AnyOf(0, 1)) << undisturbed.err;
    std::mt19937 random(20301);
    std::uniform_int_distribution<int> delay(1, static_cast<int>(longest.count()));
    int killed = 0;
    // Every fourth one at whatever moment, the beginnings of a launch among them.
    while (killed < kills && killed_after(std::chrono::milliseconds(delay(random)), killed % 4 != 3,
                                          hunt_into("out", executions))) {
      ++killed;
    }
    if (hunt_in(folder() / "out") != HuntInFolder::kEnded) {
      const Said last = esox({"hunt", "--resume", "out"}, 1500s);
      ASSERT_EQ(last.status, undisturbed.status) << last.err;
    }
    std::printf("%d kills, %d executions, %zu findings\n", killed,
                report("out")["executions"].get<int>(), report("out")["findings"].size());
    expect_same(report("out"), report("undisturbed"));
    expect_whole_findings(report("out"));
    EXPECT_TRUE(all_gone(30s));
  }
};

using ResumingSoak = Resuming;

TEST_F(Resuming, AfterThreeKillsAHuntHasFoundWhatItWouldHaveFound) {
  compare_with_kills(3, "300", 1000ms);
}

TEST_F(ResumingSoak, AfterFiftyKillsAHuntHasFoundWhatItWouldHaveFound) {
  compare_with_kills(50, "10000", 2000ms);
}

TEST_F(Resuming, AfterTheFirstSignalTheHuntSaysHowItGoesOnAndDoes) {
  Said said;
  int each = 100;
  do {  // longer, until it is not done before the signal comes
    each *= 2;
    fs::remove_all(folder() / "out");
    const pid_t esox_pid = start(hunt_into("out", std::to_string(each)), [] {});
    ASSERT_TRUE(wait_until([&] { return fs::exists(folder() / "out" / "hunt.json"); }, 60s));
    kill(esox_pid, SIGINT);
    said = finish(60s);
    ASSERT_THAT(said.status, testing::AnyOf(0, 1)) << said.err;
  } while (report("out")["executions"] == 4 * each);
  EXPECT_THAT(said.err, HasSubstr("esox hunt --resume out\n"));
  const Said again = esox({"hunt", "--out", "out"});
  EXPECT_EQ(again.status, 2);
  EXPECT_THAT(again.err, HasSubstr("--resume out"));
  const Said resumed = esox({"hunt", "--resume", "out", "--jobs", "1"});
  EXPECT_THAT(resumed.err, AllOf(HasSubstr("goes on where it ended"), HasSubstr("launch 2")));
  EXPECT_EQ(report("out")["executions"], 4 * each);
  const Said ended = esox({"hunt", "--resume", "out"});
  EXPECT_EQ(ended.status, 2);
  EXPECT_THAT(ended.err, HasSubstr("nothing is left to do"));
}

TEST_F(Resuming, ABudgetIsOfAllLaunchesTogether) {
  std::vector<std::string> first = hunt_into("out", "1000000");
  first.insert(first.end(), {"--budget", "2s"});
  const Said begun = esox(first);
  ASSERT_THAT(begun.status, testing::AnyOf(0, 1)) << begun.err;
  EXPECT_THAT(begun.err, HasSubstr("--budget TIME, of both launches together"));
  const uint64_t before = report("out")["executions"];
  const Said spent = esox({"hunt", "--resume", "out"});
  EXPECT_THAT(spent.status, testing::AnyOf(0, 1)) << spent.err;
  EXPECT_LT(report("out")["seconds"].get<double>(), 60.0);
  EXPECT_LE(report("out")["executions"].get<uint64_t>(), before) << "there was no time left";
  const double seconds = report("out")["seconds"];
  const std::string budget = std::to_string(static_cast<int>(seconds) + 4) + "s";
  const Said more = esox({"hunt", "--resume", "out", "--budget", budget});
  EXPECT_THAT(more.status, testing::AnyOf(0, 1)) << more.err;
  EXPECT_GT(report("out")["seconds"].get<double>(), seconds);
}

TEST_F(Resuming, WhatAHuntIsCannotBeChangedWhenItGoesOn) {
  for (const std::vector<std::string>& more : {std::vector<std::string>{"--seed", "2"},
                                               {"--executions", "5"},
                                               {"--engine", "Aria"},
                                               {"--out", "other"},
                                               {"--no-filters"},
                                               {"--strategy", "random"},
                                               {control()}}) {
    std::vector<std::string> arguments = {"hunt", "--resume", "out"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const Said said = esox(arguments);
    EXPECT_EQ(said.status, 2) << more.front();
    EXPECT_THAT(said.err, HasSubstr("--resume")) << more.front();
  }
}

TEST_F(Resuming, WhatHoldsNoHuntIsSaidInOneLine) {
  const Said nowhere = esox({"hunt", "--resume", "nowhere"});
  EXPECT_EQ(nowhere.status, 2);
  EXPECT_THAT(nowhere.err, HasSubstr("holds no hunt (there is no hunt.db in it)"));
  fs::create_directory(folder() / "out");
  std::ofstream(folder() / "out" / "hunt.db") << std::string(9000, 'x');
  const Said damaged = esox({"hunt", "--resume", "out"});
  EXPECT_EQ(damaged.status, 2);
  EXPECT_EQ(std::count(damaged.err.begin(), damaged.err.end(), '\n'), 1) << damaged.err;
}

}  // namespace
}  // namespace esox
