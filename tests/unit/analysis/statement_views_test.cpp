// SPDX-License-Identifier: Apache-2.0
// Views of statements by hand: whose a logged row is, what real time leaves, and what of an
// execution cannot be judged. That they are right in general is
// tests/unit/oracle/statement_views_agreement_test.cpp's.
#include "analysis/statement_views.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analysis/transactions.h"
#include "tests/unit/analysis/builders.h"

namespace esox {
namespace {

using test::ok;
using test::rows_reply;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;

// The table t of one row, which counts: rows "1", "2", ...
RowImage row(const std::string& value) {
  return {"test.t", value};
}

StatementRows logged(const std::string& text, const std::string& before, const std::string& after) {
  return {text, {{row(before), row(after)}}};
}

struct Turn {
  size_t client;
  const char* text;
  Output reply;
  bool open;  // whether a transaction is, after it
};

Turn reads(size_t client, const std::string& value, bool open = true) {
  return {client, "SELECT v FROM t", rows_reply({{value}}), open};
}
Turn locks(size_t client, const std::string& value, bool open = true) {
  return {client, "SELECT v FROM t FOR UPDATE", rows_reply({{value}}), open};
}
Turn writes(size_t client, const char* text = "UPDATE t SET v=v+1", bool open = true) {
  return {client, text, ok(1), open};
}

// One request after the other, each before the next one begins.
struct Sessions {
  Input input;
  ExecutionRecord record;
  RowLog log;

  explicit Sessions(const std::string& level, const std::vector<Turn>& turns) {
    input.language = &mariadb_language();
    input.isolation_level = level;
    for (const char* name : {"A", "B"}) {
      input.clients.push_back({name, {}, {}});
      record.outcome.outputs.emplace_back();
      record.stamps.emplace_back();
    }
    uint64_t now = 0;
    for (const Turn& turn : turns) {
      input.clients[turn.client].requests.push_back({turn.text, false});
      record.outcome.outputs[turn.client].push_back(turn.reply);
      record.outcome.outputs[turn.client].back().in_transaction = turn.open;
      record.stamps[turn.client].push_back({now, now + 1});
      now += 2;
    }
    record.units = units_of(input, record);
  }

  ViewVerdict judge() const {
    return judge_views(input, record, log, [](const std::vector<StateQuestion>& questions) {
      std::vector<StateAnswer> answers;
      for (const StateQuestion& one : questions) {
        const std::set<RowImage>& last =
            !one.state.hidden.empty() ? one.state.written : one.state.there;
        const std::string value =
            one.state.gone.empty() && one.state.hidden.empty() ? "1" : last.begin()->bytes;
        answers.push_back({one.text.starts_with("UPDATE") ? ok(1) : rows_reply({{value}}), ""});
      }
      return answers;
    });
  }
};

const Turn kBegin{0, "BEGIN", ok(), true};
const Turn kCommit{0, "COMMIT", ok(), false};
const Turn kBegins{1, "BEGIN", ok(), true};
const Turn kCommits{1, "COMMIT", ok(), false};

// B changes the row from 1 to 2 between A's two reads.
Sessions two_reads(const std::string& level, const std::string& first, const std::string& second) {
  Sessions run(level,
               {kBegin, reads(0, first), kBegins, writes(1), kCommits, reads(0, second), kCommit});
  run.log.units = {{1, true, {logged("UPDATE t SET v=v+1", "1", "2")}}};
  return run;
}

TEST(StatementViews, AreOneForATransactionAndEachItsOwnForStatements) {
  EXPECT_EQ(two_reads("read-committed", "1", "2").judge().anomaly.name, "");
  EXPECT_EQ(two_reads("read-committed", "1", "1").judge().anomaly.name, "stale-read");
  EXPECT_EQ(two_reads("read-committed", "2", "2").judge().anomaly.name, "early-read");
  EXPECT_EQ(two_reads("read-committed", "7", "2").judge().anomaly.name, "fractured-read");
  for (const char* level : {"repeatable-read", "snapshot"}) {
    EXPECT_EQ(two_reads(level, "1", "1").judge().anomaly.name, "");
    EXPECT_EQ(two_reads(level, "1", "2").judge().judged, 3u);
    EXPECT_FALSE(two_reads(level, "1", "2").judge().anomaly.empty());
  }
}

TEST(StatementViews, SayWhatWasSeenAndWhatTheNearestPrefixesGive) {
  const ViewVerdict seen = two_reads("read-committed", "7", "2").judge();
  ASSERT_GE(seen.anomaly.lines.size(), 2u);
  EXPECT_THAT(seen.anomaly.lines[0], HasSubstr("view: A2 read (7), which no prefix"));
  EXPECT_THAT(seen.anomaly.lines[1], HasSubstr("after 0 commits it would be (1)"));
  EXPECT_TRUE(seen.anomaly.forbidden);
}

TEST(StatementViews, ShowOwnRowsOverAnyPrefix) {
  const auto own = [](const std::string& seen) {
    Sessions run("repeatable-read", {kBegin, reads(0, "1"), kBegins, writes(1), kCommits, writes(0),
                                     reads(0, seen), kCommit});
    run.log.units = {{1, true, {logged("UPDATE t SET v=v+1", "1", "2")}},
                     {0, true, {logged("UPDATE t SET v=v+1", "2", "3")}}};
    return run.judge().anomaly.name;
  };
  EXPECT_EQ(own("3"), "") << "a lost update it is not, but the level allows it";
  EXPECT_EQ(own("2"), "fractured-read");
  EXPECT_EQ(own("1"), "fractured-read");
}

TEST(StatementViews, OfTwoSessionsKeepTheOrderOfTheLog) {
  // Both rows of B's are asked for beside A's two reads, which are one after the other.
  Sessions run("read-committed",
               {kBegins, writes(1), kCommits, reads(0, "2", false), reads(0, "1", false)});
  run.record.stamps[1][2].response = 100;
  run.log.units = {{1, true, {logged("UPDATE t SET v=v+1", "1", "2")}}};
  EXPECT_EQ(run.judge().anomaly.name, "stale-read");
  std::swap(run.record.outcome.outputs[0][0], run.record.outcome.outputs[0][1]);
  EXPECT_EQ(run.judge().anomaly.name, "");
}

// B changes the row from 1 to 2 between what A asks.
std::string anomaly_around(const std::string& level, const Turn& before, const Turn& after) {
  Sessions run(level, {kBegin, before, kBegins, writes(1), kCommits, after, kCommit});
  run.log.units = {{1, true, {logged("UPDATE t SET v=v+1", "1", "2")}}};
  return run.judge().anomaly.name;
}

TEST(StatementViews, OfLockingReadsAreOfTheirOwnMoment) {
  for (const char* level : {"read-committed", "repeatable-read"}) {
    EXPECT_EQ(anomaly_around(level, reads(0, "1"), locks(0, "2")), "");
    EXPECT_EQ(anomaly_around(level, reads(0, "1"), locks(0, "1")), "stale-read");
    EXPECT_EQ(anomaly_around(level, locks(0, "2"), kCommit), "early-read");
    EXPECT_EQ(anomaly_around(level, locks(0, "7"), kCommit), "fractured-read");
  }
  EXPECT_EQ(anomaly_around("read-committed", locks(0, "1"), locks(0, "2")), "");
  for (const char* level : {"repeatable-read", "snapshot"}) {
    EXPECT_EQ(anomaly_around(level, locks(0, "1"), locks(0, "2")), "changed-under-lock");
  }
  EXPECT_EQ(anomaly_around("snapshot", reads(0, "1"), locks(0, "2")), "moving-view");
}

TEST(StatementViews, OfWritesAreToldByWhatTheyChange) {
  const Turn finds_nothing{0, "UPDATE t SET v=v+1", ok(0), true};
  EXPECT_EQ(anomaly_around("repeatable-read", finds_nothing, kCommit), "fractured-read");
  EXPECT_EQ(anomaly_around("read-committed", finds_nothing, kCommit), "fractured-read");
  const Turn inserts{0, "INSERT INTO t VALUES (1)", ok(0), true};
  EXPECT_EQ(anomaly_around("repeatable-read", inserts, kCommit), "") << "it looks for nothing";
}

// Of which each row may be of a moment of its own.
TEST(StatementViews, OfRowsThatAreLockedOneByOneHaveOnlyRowsOfSomeMoment) {
  const auto beside = [](const std::string& level, const char* text, const std::string& seen) {
    const Turn reader{0, text, rows_reply({{seen}, {"1"}}), false};
    Sessions run(level, {reader, writes(1, "UPDATE t SET v=v+1", false)});
    run.record.stamps[0][0].response = 100;
    run.log.units = {{1, true, {logged("UPDATE t SET v=v+1", "1", "2")}}};
    return run.judge();
  };
  const char* rows = "SELECT v FROM t FOR UPDATE";
  EXPECT_EQ(beside("read-committed", rows, "2").anomaly.name, "") << "(2) and (1)";
  EXPECT_EQ(beside("repeatable-read", rows, "2").anomaly.name, "fractured-read");
  EXPECT_EQ(beside("read-committed", rows, "7").anomaly.name, "fractured-read");
  EXPECT_THAT(beside("read-committed", "SELECT SUM(v) FROM t FOR UPDATE", "7").unjudged,
              ElementsAre(Pair("rows that are locked one by one, with a commit in between", 1)));
}

std::map<std::string, uint64_t> unjudged(const Sessions& run) {
  const ViewVerdict verdict = run.judge();
  EXPECT_TRUE(verdict.anomaly.empty()) << verdict.anomaly.name;
  return verdict.unjudged;
}

TEST(StatementViews, AreNotJudgedWhereTheLogTellsAnotherStory) {
  const char* other = "the log and the replies do not tell of the same writes";
  Sessions lacking = two_reads("read-committed", "7", "7");
  lacking.log.units.clear();
  EXPECT_THAT(unjudged(lacking), ElementsAre(Pair(other, 3)));
  Sessions text = two_reads("read-committed", "7", "7");
  text.log.units[0].statements[0].text = "UPDATE t SET v=2";
  EXPECT_THAT(unjudged(text), ElementsAre(Pair(other, 3)));
  Sessions stranger = two_reads("read-committed", "7", "7");
  stranger.log.units[0].client.reset();
  EXPECT_THAT(unjudged(stranger),
              ElementsAre(Pair("the log does not tell whose a transaction is", 3)));
  Sessions more = two_reads("read-committed", "7", "7");
  more.log.units[0].only_rows = false;
  EXPECT_THAT(unjudged(more), ElementsAre(Pair("the log has more than rows", 3)));
}

TEST(StatementViews, AreNotJudgedAfterWhatTheLogDoesNotHold) {
  const Turn rolls_back{0, "ROLLBACK", ok(), false};
  EXPECT_THAT(unjudged(Sessions("repeatable-read", {kBegin, writes(0), reads(0, "7"), rolls_back})),
              ElementsAre(Pair("own rows that were undone later", 1)));
  const Turn defines{1, "ALTER TABLE t FORCE", ok(), false};
  EXPECT_THAT(unjudged(Sessions("repeatable-read", {defines, kBegin, reads(0, "7"), kCommit})),
              ElementsAre(Pair("a definition beside or before it", 1)));
  const Turn sets{0, "SET SESSION sql_mode=''", ok(), false};
  EXPECT_THAT(unjudged(Sessions("repeatable-read", {sets, reads(0, "7", false)})),
              ElementsAre(Pair("a request before whose effect is unknown", 1)));
}

// Of B's setup: A's reads are judged beside one that begins, and beside none that does more.
TEST(StatementViews, BesideASessionWithASetupAreJudgedUnlessItDoesMoreThanBegin) {
  const auto judged = [](const char* setup) {
    Sessions sessions("repeatable-read", {kBegin, reads(0, "1"), kCommit, reads(1, "1", false)});
    sessions.input.clients[1].setup = {setup};
    const ViewVerdict verdict = sessions.judge();
    return std::pair(verdict.judged, verdict.unjudged);
  };
  for (const char* setup : {"SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED",
                            "START TRANSACTION WITH CONSISTENT SNAPSHOT"}) {
    EXPECT_EQ(judged(setup).first, 1u) << setup;
    EXPECT_THAT(judged(setup).second, ElementsAre(Pair("a session with a setup", 1u))) << setup;
  }
  for (const char* setup : {"USE test", "SET SESSION sql_mode='', innodb_strict_mode=ON"}) {
    EXPECT_EQ(judged(setup).first, 2u) << setup;
  }
  for (const char* setup : {"SET sql_log_bin=0", "USE mysql", "UPDATE t SET v=7",
                            "SET GLOBAL binlog_format=STATEMENT", "DO f()"}) {
    EXPECT_EQ(judged(setup).first, 0u) << setup;
  }
}

TEST(StatementViews, AfterASavepointHaveWhatWasLeft) {
  const Turn mark{0, "SAVEPOINT a", ok(), true};
  const Turn back{0, "ROLLBACK TO a", ok(), true};
  const auto seen = [&](const std::string& value, const std::string& between = "") {
    std::vector<Turn> turns = {kBegin, writes(0), mark, writes(0, "UPDATE t SET v=9")};
    if (!between.empty()) turns.push_back(reads(0, between));
    turns.insert(turns.end(), {back, reads(0, value), kCommit});
    Sessions run("repeatable-read", turns);
    run.log.units = {{0, true, {logged("UPDATE t SET v=v+1", "1", "2")}}};
    return run.judge();
  };
  EXPECT_EQ(seen("2").anomaly.name, "");
  EXPECT_EQ(seen("9").anomaly.name, "fractured-read") << "it was undone";
  EXPECT_THAT(seen("2", "9").unjudged, ElementsAre(Pair("own rows that were undone later", 1)));
}

}  // namespace
}  // namespace esox
