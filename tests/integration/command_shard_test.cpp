// SPDX-License-Identifier: Apache-2.0
// The work divided over several machines, and brought together again, is the work of one.
//
// Counts are compared where no execution was degraded: on a machine that is so busy that control is
// lost, two undisturbed hunts differ too.
#include <signal.h>

#include <algorithm>
#include <cstdio>
#include <map>
#include <random>

#include "tests/integration/command_fixture.h"

namespace esox {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using testing::HasSubstr;
using testing::SizeIs;
using namespace std::chrono_literals;

class Sharding : public CommandTest {
 protected:
  std::vector<std::string> inputs_ = {shipped("pike-table-5-2/02-insert-select-distinct.yaml"),
                                      control(),
                                      shipped("pike-table-5-2/10-insert-count-like.yaml"),
                                      shipped("pike-table-5-2/11-optimize-drop.yaml")};
  std::string executions_ = "25";
  bool degraded_ = false;

  // Into NAME/hunt, with a store of its own in NAME.
  std::vector<std::string> hunt(const std::string& name, const std::string& shard) const {
    std::vector<std::string> arguments = {"hunt"};
    arguments.insert(arguments.end(), inputs_.begin(), inputs_.end());
    for (const char* one : {"--engine", "Aria,InnoDB", "--seed", "5", "--no-gate", "--jobs", "2",
                            "--diagnose-budget", "0", "--report", "json", "--executions"}) {
      arguments.emplace_back(one);
    }
    arguments.insert(arguments.end(), {executions_, "--out", name + "/hunt"});
    if (!shard.empty()) arguments.insert(arguments.end(), {"--shard", shard});
    return arguments;
  }

  void run(const std::string& name, const std::string& shard) {
    const Said said = esox(hunt(name, shard), 1500s);
    ASSERT_THAT(said.status, testing::AnyOf(0, 1)) << said.err;
    degraded_ = degraded_ || report(name + "/hunt")["degraded"] != 0;
  }

  std::vector<std::string> run_shards(unsigned of) {
    std::vector<std::string> names;
    for (unsigned number = 1; number <= of; ++number) {
      names.push_back("shard-" + std::to_string(number));
      run(names.back(), std::to_string(number) + "/" + std::to_string(of));
    }
    return names;
  }

  json report(const std::string& out) const {
    return json::parse(read(folder() / out / "hunt.json"));
  }

  Said merge(const std::string& into, const std::vector<std::string>& from,
             const std::vector<std::string>& more = {}) {
    std::vector<std::string> arguments = {"merge", into};
    arguments.insert(arguments.end(), from.begin(), from.end());
    arguments.insert(arguments.end(), more.begin(), more.end());
    Said said = esox(arguments);
    EXPECT_EQ(said.status, 0) << said.err;
    return said;
  }

  std::string dump(const std::string& out) {
    const Said said = esox({"triage", "dump", "--store", out + "/findings.db"});
    EXPECT_EQ(said.status, 0) << said.err;
    return said.out;
  }

  // What one machine has that did all of it.
  void expect_as_alone(const std::string& dumped) {
    if (degraded_) {
      std::printf("control was lost now and then: counts are not compared\n");
      return;
    }
    EXPECT_EQ(json::parse(dumped), json::parse(dump("alone")));
    EXPECT_EQ(dumped, dump("alone"));
  }

  // The folder of the one campaign that was gathered.
  std::string gathered(const std::string& into) const {
    return fs::relative(fs::directory_iterator(folder() / into / "hunts")->path(), folder());
  }

  // By input and engine, what was done with it.
  static std::map<std::string, std::string> explored(const json& report) {
    std::map<std::string, std::string> all;
    for (const json& one : report["explored"]) {
      all[one["input"].get<std::string>() + " " + one["engine"].get<std::string>()] = one.dump();
    }
    return all;
  }

  void compare_in_orders(unsigned shards, int orders) {
    run("alone", "");
    std::vector<std::string> names = run_shards(shards);
    std::mt19937 random(20);
    std::string first;
    for (int i = 0; i < orders; ++i) {
      std::shuffle(names.begin(), names.end(), random);
      const std::string all = "all-" + std::to_string(i);
      const auto middle = names.begin() + 1 + static_cast<long>(random() % (names.size() - 1));
      merge(all, {names.begin(), middle});
      merge(all, {middle, names.end()});
      if (i == 0) first = dump(all);
      EXPECT_EQ(dump(all), first) << "order " << i;
    }
    expect_as_alone(first);
    merge("all-0", names);
    merge("all-0", {"all-1"});
    merge("all-0", {"all-0"});
    EXPECT_EQ(dump("all-0"), first) << "merged again";
    const fs::path campaign = folder() / gathered("all-0");
    const json whole = report(gathered("all-0"));
    EXPECT_EQ(whole["failure"], "");
    EXPECT_EQ(whole["executions"], report("alone/hunt")["executions"]);
    EXPECT_EQ(whole["inputs"], report("alone/hunt")["inputs"]);
    EXPECT_THAT(whole["findings"], SizeIs(findings_in(campaign).size()));
    if (!degraded_) {
      EXPECT_EQ(explored(whole), explored(report("alone/hunt")));
    }
    const Said page = esox({"report", campaign.string(), "--format", "text,junit"});
    EXPECT_EQ(page.status, 0) << page.err;
  }
};

using ShardingSoak = Sharding;

TEST_F(Sharding, TwentyShardsInAnyOrderAreWhatOneMachineDoes) {
  compare_in_orders(20, 10);
}

TEST_F(ShardingSoak, TwentyShardsOfManyInputsInAnyOrderAreWhatOneMachineDoes) {
  inputs_ = {shipped("pike-table-5-2"), shipped("mtr-sample")};
  executions_ = "100";
  compare_in_orders(20, 20);
}

TEST_F(Sharding, AShardThatIsKilledAndDoneAgainCountsOnce) {
  Said killed;
  int executions = 75;
  do {  // longer, until it is not done before it is killed
    executions *= 2;
    executions_ = std::to_string(executions);
    fs::remove_all(folder() / "first");
    const pid_t esox_pid = start(hunt("first", "1/2"), [] {});
    ASSERT_TRUE(wait_until(
        [&] {
          const std::string text = read(folder() / "first/hunt/hunt.json");
          return !text.empty() && json::parse(text, nullptr, false).value("executions", 0) > 0;
        },
        60s));
    kill(esox_pid, SIGKILL);
    killed = finish(20s);
  } while (killed.status != 1000 + SIGKILL);
  run("alone", "");
  run("second", "2/2");
  fs::create_directories(folder() / "killed");
  fs::copy(folder() / "first/hunt", folder() / "killed/hunt", fs::copy_options::recursive);
  const Said part = merge("part", {"killed/hunt", "second"});
  EXPECT_THAT(part.out, HasSubstr("not at its end: shard 1"));
  EXPECT_THAT(report(gathered("part"))["failure"].get<std::string>(),
              HasSubstr("shard 1 of 2 did not come to its end"));
  const Said missing = merge("less", {"second"});
  EXPECT_THAT(missing.out, HasSubstr("shard 1 of 2 is missing"));

  // Gone on with here, done again from nothing there.
  const Said resumed = esox({"hunt", "--resume", "first/hunt", "--diagnose-budget", "0"}, 600s);
  ASSERT_THAT(resumed.status, testing::AnyOf(0, 1)) << resumed.err;
  degraded_ = degraded_ || report("first/hunt")["degraded"] != 0;
  run("again", "1/2");
  EXPECT_EQ(report("first/hunt")["id"], report("again/hunt")["id"]);
  EXPECT_NE(report("first/hunt")["id"], report("second/hunt")["id"]);
  for (const std::vector<std::string>& from :
       {std::vector<std::string>{"first", "second"},
        {"again", "second"},
        {"second", "killed/hunt", "again", "first"},
        {"first", "again", "killed/hunt", "second", "part"}}) {
    const std::string into = "all-" + testing::PrintToString(from.size()) + from.front();
    merge(into, from);
    expect_as_alone(dump(into));
  }
}

TEST_F(Sharding, AShardWithoutInputsIsAWholeHuntOfNothing) {
  inputs_ = {control()};
  unsigned empty = 0;
  for (unsigned number = 1; number <= 3; ++number) {
    const std::string name = "s" + std::to_string(number);
    run(name, std::to_string(number) + "/3");
    const json one = report(name + "/hunt");
    EXPECT_EQ(one["ended"], true);
    EXPECT_EQ(one["shard"]["number"], number);
    EXPECT_EQ(one["shard"]["explorations_of_all"], 2);
    if (one["explorations"] != 0) continue;
    ++empty;
    const Said again = esox({"hunt", "--resume", name + "/hunt"});
    EXPECT_THAT(again.err, HasSubstr("nothing is left to do"));
  }
  EXPECT_GE(empty, 1u);
  const Said merged = merge("all", {"s1", "s2", "s3"});
  EXPECT_THAT(merged.out, HasSubstr("all 3 shards there"));
}

TEST_F(Sharding, WhatCannotBeDividedOrMergedIsSaidInOneLine) {
  const auto complaint = [&](const std::vector<std::string>& arguments) {
    const Said said = esox(arguments);
    EXPECT_EQ(said.status, 2) << said.err;
    EXPECT_EQ(std::count(said.err.begin(), said.err.end(), '\n'), 1) << said.err;
    return said.err;
  };
  EXPECT_THAT(complaint({"hunt", control(), "--shard", "3/2", "--seed", "1"}),
              HasSubstr("write NUMBER/OF"));
  EXPECT_THAT(complaint({"hunt", control(), "--shard", "1/2"}), HasSubstr("needs --seed"));
  EXPECT_THAT(complaint({"hunt", control(), "--campaign", "x"}), HasSubstr("--shard"));
  EXPECT_THAT(complaint({"merge", "all", "nowhere"}), HasSubstr("nowhere: there is no such"));
  fs::create_directories(folder() / "empty");
  EXPECT_THAT(complaint({"merge", "all", "empty"}), HasSubstr("nothing to merge"));
  EXPECT_FALSE(fs::exists(folder() / "all")) << "nothing was made";
  const std::string text = write("notes.db", "these are my notes and no store, by far not one");
  EXPECT_THAT(complaint({"merge", "all", text}), HasSubstr("notes.db"));
  EXPECT_THAT(complaint({"merge", "all"}), HasSubstr("FROM"));
}

}  // namespace
}  // namespace esox
