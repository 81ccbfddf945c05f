// SPDX-License-Identifier: Apache-2.0
// Stores that are joined: in any order, in any grouping, repeatedly, the same comes out.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <random>

#include "base/process/private_directory.h"
#include "harness/records/triage/store.h"

namespace esox {
namespace {

namespace fs = std::filesystem;
using testing::SizeIs;

std::string where_it_was(const std::string&, const std::string&) {
  return "";
}

class StoreJoinTest : public testing::Test {
 protected:
  std::unique_ptr<Store> store(const std::string& name) const {
    return std::make_unique<Store>(folder_.path() / (name + ".db"));
  }

  static HuntRecord hunt(const std::string& id, const std::string& started = "2030-01-01T00:00:00Z",
                         const std::string& shard = "") {
    HuntRecord record;
    record.hunt.id = id;
    record.hunt.started = started;
    record.hunt.out = "/out/" + id;
    record.hunt.server_version = "10.11.14";
    record.hunt.seed = 7;
    if (!shard.empty()) record.hunt.campaign = "campaign";
    record.hunt.shard = shard;
    record.hunt.ended = true;
    return record;
  }

  static Occurrence occurrence(const std::string& id, const std::string& plain,
                               const std::string& critical = "", uint64_t executions = 50) {
    Occurrence one;
    one.id = id;
    one.input = "in-" + id;
    one.verdict = VerdictClass::kLatent;
    one.hits = 2;
    one.executions = executions;
    one.folder = "/out/" + id;
    one.signature = {"text of " + plain + critical, plain, critical};
    return one;
  }

  static void record(Store& store, const HuntRecord& one) {
    store.record(one.hunt, one.inputs, one.occurrences);
  }

  static void join(Store& into, const std::vector<Store*>& from) {
    into.join(from, {}, where_it_was);
  }

  PrivateDirectory folder_{temporary_base()};
};

TEST_F(StoreJoinTest, NightsComeWithTheirHuntsAndRechecksFollowTheirFinding) {
  const auto early = store("early");
  const auto late = store("late");
  HuntRecord first = hunt("h1", "2030-01-01T00:00:00Z");
  first.occurrences = {occurrence("a", "p")};
  HuntRecord second = hunt("h2", "2030-01-02T00:00:00Z");
  second.occurrences = {occurrence("b", "p")};
  record(*early, first);
  record(*late, second);
  early->record_stage({"h1", "night-1", "stage", "stable"});
  late->record_stage({"h2", "night-2", "stage", "stable"});
  late->record_recheck({"night-2", "stable", "b", "", "still there", ""});
  const auto all = store("all");
  for (int times = 0; times < 2; ++times) {
    join(*all, {late.get(), early.get()});
    EXPECT_THAT(all->stages(), SizeIs(2));
    ASSERT_THAT(all->rechecks(), SizeIs(1));
    EXPECT_EQ(all->rechecks()[0].finding, "a");  // the two are one, and the older one gives its id
  }
}

TEST_F(StoreJoinTest, AStoreJoinedToAnEmptyOneIsTheSame) {
  const auto one = store("one");
  HuntRecord record = hunt("h");
  record.inputs = {{{"in", "Aria", ""}, "title", {{"none", 20}, {"latent", 5}}}};
  record.occurrences = {occurrence("a", "p"), occurrence("b", "p", "c"), occurrence("c", "q")};
  this->record(*one, record);
  one->mark("a", TriageState::kConfirmed, "MDEV-1", "");
  one->merge("c", "a");
  const auto all = store("all");
  join(*all, {one.get()});
  EXPECT_EQ(all->dump(), one->dump());
  EXPECT_EQ(all->finding("c").id, "a");
  EXPECT_EQ(all->finding("a").note, "MDEV-1");
  EXPECT_EQ(all->executions_of("in"), 25u);
  join(*all, {one.get()});
  EXPECT_EQ(all->dump(), one->dump()) << "again";
  EXPECT_THAT(all->history("a"), SizeIs(one->history("a").size()));
}

TEST_F(StoreJoinTest, OneBugOfTwoStoresIsOneFindingWhichBothIdsLeadTo) {
  const auto left = store("left");
  const auto right = store("right");
  HuntRecord early = hunt("early", "2030-01-01T00:00:00Z");
  early.occurrences = {occurrence("zz", "p")};
  HuntRecord late = hunt("late", "2030-01-02T00:00:00Z");
  late.occurrences = {occurrence("aa", "p")};
  record(*left, late);
  record(*right, early);
  join(*left, {right.get()});
  ASSERT_THAT(left->findings(), SizeIs(1));
  EXPECT_EQ(left->finding("aa").id, "zz");
  EXPECT_EQ(left->finding("zz").occurrences, 2u);
  EXPECT_EQ(left->finding("zz").created, "2030-01-01T00:00:00Z");
}

TEST_F(StoreJoinTest, TheLaterOfTwoDecisionsCounts) {
  const auto first = store("first");
  const auto second = store("second");
  HuntRecord record = hunt("h");
  record.occurrences = {occurrence("a", "p")};
  this->record(*first, record);
  this->record(*second, record);
  first->mark("a", TriageState::kKnown, "wanted", "");
  sleep(1);  // decisions are told apart by the second
  second->mark("a", TriageState::kFalsePositive, "by design", "rule");
  const auto ab = store("ab");
  const auto ba = store("ba");
  join(*ab, {first.get(), second.get()});
  join(*ba, {second.get()});
  join(*ba, {first.get()});
  EXPECT_EQ(ab->dump(), ba->dump());
  EXPECT_EQ(ab->finding("a").state, TriageState::kFalsePositive);
  EXPECT_EQ(ab->finding("a").filter, "rule");
  EXPECT_THAT(ab->history("a"), SizeIs(3));
}

TEST_F(StoreJoinTest, FixedHereAndMetLaterThereIsRegressed) {
  const auto here = store("here");
  const auto there = store("there");
  HuntRecord before = hunt("before", "2020-01-01T00:00:00Z");
  before.occurrences = {occurrence("a", "p")};
  HuntRecord later = hunt("later", "2999-01-01T00:00:00Z");
  later.occurrences = {occurrence("b", "p")};
  record(*here, before);
  here->mark("a", TriageState::kFixed, "in 10.11.15", "");
  record(*there, later);
  join(*here, {there.get()});
  EXPECT_EQ(here->finding("a").state, TriageState::kRegressed);
  const size_t told = here->history("a").size();
  join(*here, {there.get()});
  EXPECT_THAT(here->history("a"), SizeIs(told));
}

TEST_F(StoreJoinTest, AShardDoneAgainCountsOnceAndLosesNothing) {
  const auto killed = store("killed");
  const auto again = store("again");
  HuntRecord part = hunt("shard-3", "2030-01-01T00:00:00Z", "3/20");
  part.hunt.ended = false;
  part.inputs = {{{"x", "", ""}, "t", {{"none", 20}}}, {{"y", "", ""}, "t", {{"none", 50}}}};
  part.occurrences = {occurrence("a", "p", "", 20), occurrence("only-here", "q")};
  HuntRecord whole = hunt("shard-3", "2030-01-01T05:00:00Z", "3/20");
  whole.inputs = {{{"x", "", ""}, "t", {{"none", 99}, {"latent", 1}}},
                  {{"y", "", ""}, "t", {{"none", 25}}}};
  whole.occurrences = {occurrence("a", "p", "", 100)};
  record(*killed, part);
  record(*again, whole);
  const auto ab = store("ab");
  const auto ba = store("ba");
  join(*ab, {killed.get(), again.get()});
  join(*ba, {again.get(), killed.get()});
  EXPECT_EQ(ab->dump(), ba->dump());
  EXPECT_EQ(ab->executions_of("x"), 100u);
  EXPECT_EQ(ab->executions_of("y"), 50u);
  EXPECT_EQ(ab->finding("a").occurrences, 1u);
  EXPECT_EQ(ab->occurrences("a").front().occurrence.executions, 100u);
  EXPECT_EQ(ab->finding("only-here").occurrences, 1u);
  // Into one store, as hunts on one machine record them.
  part.occurrences[0].folder = "/elsewhere/a";
  record(*again, part);
  EXPECT_EQ(again->dump(), ab->dump());
}

TEST_F(StoreJoinTest, InAnyOrderAndGroupingTheSameComesOut) {
  std::mt19937 random(11);
  const auto pick = [&](unsigned of) { return std::to_string(random() % of); };
  std::vector<std::unique_ptr<Store>> stores;
  for (int i = 0; i < 6; ++i) {
    stores.push_back(store("s" + std::to_string(i)));
    for (int h = 0; h < 3; ++h) {
      const std::string number = pick(7);  // the same hunt may be in several stores
      HuntRecord one =
          hunt("h" + number, "2030-01-0" + std::to_string(1 + std::stoi(number) / 2),
               std::stoi(number) < 4 ? std::to_string(std::stoi(number) + 1) + "/4" : "");
      for (int o = 0; o < 4; ++o) {
        const std::string id = pick(9);
        one.occurrences.push_back(occurrence("o" + id, "p" + std::to_string(std::stoi(id) % 3),
                                             random() % 2 == 0 ? "" : "c" + pick(3),
                                             10 + random() % 3));
      }
      one.inputs = {{{"in" + pick(3), "Aria", ""}, "t", {{"none", 10 + random() % 9}}}};
      record(*stores.back(), one);
    }
    for (const TriagedFinding& finding : stores.back()->findings()) {
      if (random() % 3 == 0)
        stores.back()->mark(finding.id, TriageState::kKnown, "n" + pick(9), "");
    }
  }
  std::vector<Store*> order;
  for (const auto& one : stores) order.push_back(one.get());
  const auto expected = store("expected");
  join(*expected, order);
  for (int round = 0; round < 12; ++round) {
    std::shuffle(order.begin(), order.end(), random);
    const auto all = store("all" + std::to_string(round));
    const auto half = store("half" + std::to_string(round));
    join(*half, {order[0], order[1]});
    for (size_t i = 2; i < order.size(); ++i) join(*all, {order[i]});
    join(*all, {half.get(), order[random() % order.size()]});
    EXPECT_EQ(all->dump(), expected->dump()) << "round " << round;
  }
}

TEST_F(StoreJoinTest, AHuntRecordedAfterAJoinFindsItsFindings) {
  const auto all = store("all");
  const auto one = store("one");
  HuntRecord first = hunt("h1");
  first.occurrences = {occurrence("a", "p")};
  record(*one, first);
  join(*all, {one.get()});
  HuntRecord next = hunt("h2", "2030-02-01T00:00:00Z");
  next.occurrences = {occurrence("b", "p")};
  EXPECT_EQ(all->record(next.hunt, {}, next.occurrences)[0].finding, "a");
  all->mark("a", TriageState::kConfirmed, "", "");
  record(*one, next);
  join(*all, {one.get()});
  EXPECT_EQ(all->finding("a").state, TriageState::kConfirmed);
  EXPECT_EQ(all->finding("a").occurrences, 2u);
}

// A store as it was before hunts had shards, of its schema 1.
TEST_F(StoreJoinTest, AStoreOfBeforeIsJoinedWithItsDecisions) {
  const auto now = store("now");
  HuntRecord record = hunt("h");
  record.occurrences = {occurrence("a", "p"), occurrence("b", "q"), occurrence("c", "r")};
  this->record(*now, record);
  now->mark("a", TriageState::kFalsePositive, "by design", "rule");
  now->merge("b", "c");
  const std::string known = now->dump();
  const fs::path file = now->file();
  {
    // Back to what an earlier esox left behind.
    static constexpr std::array kKnown = {"", "", "", "", ""};
    static constexpr DatabaseKind kStore = {
        .name = "the store", .application_id = 0x65736f02, .migrations = kKnown};
    Database raw(file, kStore);
    for (const char* table : {"anchors", "decisions", "bonds", "rechecks", "stages"}) {
      raw.run(std::string("DROP TABLE ") + table);
    }
    for (const char* column : {"campaign", "shard", "campaign_name"}) {
      raw.run(std::string("ALTER TABLE hunts DROP COLUMN ") + column);
    }
    raw.run("ALTER TABLE occurrences DROP COLUMN signature");
    raw.run("ALTER TABLE hunts RENAME COLUMN launches TO sittings");
    raw.run("PRAGMA user_version = 1");
  }
  const auto all = store("all");
  const auto before = std::make_unique<Store>(file);
  join(*all, {before.get()});
  EXPECT_EQ(all->finding("b").id, "c");
  EXPECT_EQ(all->finding("a").state, TriageState::kFalsePositive);
  EXPECT_EQ(all->finding("a").filter, "rule");
  EXPECT_EQ(all->dump(), known);
}

TEST_F(StoreJoinTest, WhoeverIsKilledInAJoinLeavesTheStoreAsItWasOrWhole) {
  const auto from = store("from");
  for (int h = 0; h < 40; ++h) {
    HuntRecord one = hunt("h" + std::to_string(h));
    for (int o = 0; o < 10; ++o) {
      one.occurrences.push_back(occurrence("o" + std::to_string(o), "p" + std::to_string(h)));
    }
    record(*from, one);
  }
  std::string before;
  {
    const auto into = store("into");
    HuntRecord one = hunt("own");
    one.occurrences = {occurrence("a", "own")};
    record(*into, one);
    before = into->dump();
  }
  std::string whole;
  {
    fs::copy_file(folder_.path() / "into.db", folder_.path() / "whole.db");
    const auto all = store("whole");
    join(*all, {from.get()});
    whole = all->dump();
  }
  std::mt19937 random(3);
  for (int round = 0; round < 8; ++round) {
    const pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      const auto other = store("from");
      const auto into = store("into");
      join(*into, {other.get()});
      _exit(0);
    }
    usleep(1000 * (random() % 60));
    kill(child, SIGKILL);
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    const std::string now = store("into")->dump();
    EXPECT_TRUE(now == before || now == whole) << "round " << round;
  }
  const auto into = store("into");
  join(*into, {from.get()});
  EXPECT_EQ(into->dump(), whole);
}

}  // namespace
}  // namespace esox
