// SPDX-License-Identifier: Apache-2.0
// The state summary on a real server: for each component a seeded difference that it must catch,
// and a harmless one that it must not.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/integration/state_fixture.h"

namespace esox {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::StartsWith;

class StateSummaryTest : public StateTest {
 protected:
  Statements two_tables() const {
    return {"CREATE TABLE t1 (a INT, b VARCHAR(9))" + engine(),
            "CREATE TABLE t2 (a INT PRIMARY KEY AUTO_INCREMENT, KEY(a)) ENGINE=InnoDB",
            "CREATE VIEW v AS SELECT a FROM t1"};
  }
};

// What does not depend on the server, or on what only this one has.
class MariadbSummaryTest : public StateSummaryTest {};

TEST_P(MariadbSummaryTest, HasAllComponentsAndEqualHistoriesAgree) {
  const Statements history = {"INSERT INTO t1 VALUES (1,'x'), (2,NULL)",
                              "INSERT INTO t2 VALUES (NULL)"};
  const StateSummary first =
      summary_of(two_tables(), history, {"SELECT a FROM t1"}, {"SELECT COUNT(*) FROM t1"});
  Statements names;
  for (const Component& component : first.components) {
    names.push_back(component.name);
    EXPECT_EQ(component.unavailable, "") << component.name;
  }
  EXPECT_THAT(
      names,
      testing::ElementsAre(
          "accounts", "answer:SELECT a FROM t1", "check:test.t1", "check:test.t2", "check:test.v",
          "definition:test.t1", "definition:test.t2", "definition:test.v", "dictionary", "events",
          "files", "grants", "index:test.t2.a", "key-blocks", "observation:SELECT COUNT(*) FROM t1",
          "open-tables", "query-cache:SELECT a FROM t1", "reloaded-grants", "routines",
          "rows:test.t1", "rows:test.t2", "rows:test.v", "tables", "transactions", "triggers"));
  EXPECT_EQ(first.find("rows:test.t1")->elements[1].value, "('2', NULL)");
  EXPECT_EQ(first.find("check:test.t2")->elements[0].value, "status: OK");
  EXPECT_EQ(first.find("tables")->elements[2].value, "v VIEW");
  EXPECT_THAT(differences(first, summary_of(two_tables(), history, {"SELECT a FROM t1"},
                                            {"SELECT COUNT(*) FROM t1"})),
              testing::IsEmpty());
}

TEST_P(StateSummaryTest, RowsInsertedInAnotherOrderAreTheSame) {
  const StateSummary forward =
      summary_of(two_tables(), {"INSERT INTO t1 VALUES (1,'x')", "INSERT INTO t1 VALUES (2,'y')"},
                 {"SELECT a FROM t1"});
  const StateSummary backward =
      summary_of(two_tables(), {"INSERT INTO t1 VALUES (2,'y')", "INSERT INTO t1 VALUES (1,'x')"},
                 {"SELECT a FROM t1"});
  EXPECT_THAT(differences(forward, backward), testing::IsEmpty());
}

TEST_P(StateSummaryTest, ARowChangedOrDoubledShowsInTheRows) {
  const StateSummary one = summary_of(two_tables(), {"INSERT INTO t1 VALUES (1,'x')"});
  const StateSummary changed = summary_of(two_tables(), {"INSERT INTO t1 VALUES (1,'X')"});
  const StateSummary null = summary_of(two_tables(), {"INSERT INTO t1 VALUES (1,NULL)"});
  const StateSummary thrice =
      summary_of(two_tables(), {"INSERT INTO t1 VALUES (1,'x'),(1,'x'),(1,'x')"});
  for (const StateSummary* other : {&changed, &null, &thrice}) {
    EXPECT_THAT(differences(one, *other), Contains("rows:test.t1"));
  }
  EXPECT_THAT(differences(one, changed), testing::ElementsAre("rows:test.t1"));
}

TEST_P(StateSummaryTest, ATableDroppedOrRenamedShowsInTheTables) {
  const StateSummary before = summary_of(two_tables(), {});
  const StateSummary dropped = summary_of(two_tables(), {"DROP TABLE t2"});
  EXPECT_THAT(differences(before, dropped), Contains("tables"));
  EXPECT_EQ(dropped.find("rows:test.t2"), nullptr);
  EXPECT_THAT(differences(before, summary_of(two_tables(), {"RENAME TABLE t2 TO t3"})),
              Contains("tables"));
}

TEST_P(MariadbSummaryTest, AViewWhoseTableIsGoneIsAnErrorElementNotUnavailable) {
  const StateSummary summary = summary_of(two_tables(), {"DROP TABLE t1"});
  const Component* rows = summary.find("rows:test.v");
  ASSERT_NE(rows, nullptr);
  EXPECT_EQ(rows->unavailable, "");
  ASSERT_EQ(rows->elements.size(), 1U);
  EXPECT_THAT(rows->elements[0].value, StartsWith("error 1356"));
  EXPECT_EQ(summary.find("check:test.t2")->elements[0].value, "status: OK");
}

TEST_P(StateSummaryTest, AChangedDefinitionShowsAndSoDoesTheCounterByItself) {
  const StateSummary before = summary_of(two_tables(), {});
  const StateSummary index = summary_of(two_tables(), {"CREATE INDEX i ON t1 (b)"});
  EXPECT_THAT(differences(before, index),
              testing::ElementsAre("definition:test.t1", "index:test.t1.i"));
  const StateSummary counted =
      summary_of(two_tables(), {"INSERT INTO t2 VALUES (7)", "DELETE FROM t2"});
  EXPECT_THAT(differences(before, counted), testing::ElementsAre("definition:test.t2"));
  const auto create_of = [](const StateSummary& summary) {
    return summary.find("definition:test.t2")->elements[0];
  };
  EXPECT_EQ(create_of(before), create_of(counted));
  EXPECT_EQ(counted.find("definition:test.t2")->elements[1], (Element{"auto_increment", "8"}));
}

TEST_P(MariadbSummaryTest, RowsAreReadFromTheTableNotFromAnIndex) {
  const StateSummary summary = summary_of(
      {"CREATE TABLE t1 (a INT, KEY(a)) ENGINE=MyISAM", "INSERT INTO t1 VALUES (1),(2)"}, {});
  EXPECT_EQ(summary.find("rows:test.t1")->count, 2U);
  const Output plan =
      client_->run(Request{"EXPLAIN SELECT SQL_NO_CACHE * FROM t1 USE INDEX ()", false});
  EXPECT_EQ(plan.results[0].rows[0][3], Cell("ALL"));
}

TEST_P(StateSummaryTest, ACorruptedIndexFileShowsInTheCheck) {
  const Statements setup = {"CREATE TABLE t1 (a INT, KEY(a)) ENGINE=MyISAM",
                            "INSERT INTO t1 VALUES (1),(2),(3),(4),(5)", "FLUSH TABLES"};
  const StateSummary good = summary_of(setup, {});
  start(setup, {}, {}, {});
  {
    std::fstream index(server_folder() / "data/test/t1.MYI",
                       std::ios::in | std::ios::out | std::ios::binary);
    index.seekp(1024 + 8);  // within the first key block
    index << std::string(8, '\x55');
    ASSERT_TRUE(index.good());
  }
  const StateSummary bad = make_summary(source_->take());
  EXPECT_THAT(differences(good, bad), Contains("check:test.t1"));
  EXPECT_EQ(bad.find("check:test.t1")->unavailable, "");
  EXPECT_THAT(bad.find("check:test.t1")->elements.back().value, Not(HasSubstr("status: OK")));
}

TEST_P(MariadbSummaryTest, AllRowsOfATableOfSomeThousandAreThereToBeNamed) {
  const StateSummary summary = summary_of({"CREATE TABLE t1 (a INT) ENGINE=Aria"},
                                          {"INSERT INTO t1 SELECT seq FROM seq_1_to_3000"});
  const Component* rows = summary.find("rows:test.t1");
  EXPECT_EQ(rows->count, 3000U);
  EXPECT_EQ(rows->elements.size(), 3000U);
}

TEST_P(StateSummaryTest, ADamagedTableFileIsAnErrorElement) {
  start({"CREATE TABLE t1 (a INT) ENGINE=MyISAM", "INSERT INTO t1 VALUES (1)", "FLUSH TABLES"}, {},
        {}, {});
  std::filesystem::remove(server_folder() / "data/test/t1.MYD");
  const StateSummary summary = make_summary(source_->take());
  EXPECT_EQ(summary.find("rows:test.t1")->unavailable, "");
  EXPECT_THAT(summary.find("rows:test.t1")->elements[0].value, StartsWith("error "));
}

TEST_P(StateSummaryTest, TheBinaryLogIsASequenceOfWhatHappenedSinceTheBeginning) {
  const Statements log = {"--log-bin=binlog", "--server-id=1"};
  // What statements were logged can be seen, and the rows of row events cannot.
  const Statements setup = {"CREATE TABLE t1 (a INT) ENGINE=InnoDB",
                            "SET SESSION binlog_format = STATEMENT"};
  const StateSummary forward =
      summary_of(setup, {"INSERT INTO t1 VALUES (1)", "INSERT INTO t1 VALUES (2)"}, {}, {}, log);
  const StateSummary backward =
      summary_of(setup, {"INSERT INTO t1 VALUES (2)", "INSERT INTO t1 VALUES (1)"}, {}, {}, log);
  EXPECT_THAT(differences(forward, backward), testing::ElementsAre("binlog"));
  const Component* binlog = forward.find("binlog");
  EXPECT_EQ(binlog->unavailable, "");
  Statements events;
  for (const Element& element : binlog->elements) {
    if (element.value.find("BEGIN") == std::string::npos && !element.value.starts_with("Gtid"))
      events.push_back(element.value);
  }
  const std::string insert = "Query: use `test`; INSERT INTO t1 VALUES ";
  const std::string commit = "Xid: COMMIT /* xid=# */";
  EXPECT_THAT(events, testing::ElementsAre(insert + "(1)", commit, insert + "(2)", commit));

  // More setup moves positions, GTIDs and transaction numbers, and counts for nothing; so does a
  // new log file in between.
  const StateSummary later =
      summary_of({"CREATE TABLE t0 (a INT)", "DROP TABLE t0", setup[0], setup[1]},
                 {"INSERT INTO t1 VALUES (1)", "INSERT INTO t1 VALUES (2)"}, {}, {}, log);
  EXPECT_THAT(differences(forward, later), testing::IsEmpty());
  const StateSummary rotated = summary_of(
      setup, {"INSERT INTO t1 VALUES (1)", "FLUSH LOCAL BINARY LOGS", "INSERT INTO t1 VALUES (2)"},
      {}, {}, log);
  EXPECT_THAT(differences(forward, rotated), testing::IsEmpty());
  const StateSummary reset = summary_of(
      setup, {"INSERT INTO t1 VALUES (1)", "RESET MASTER", "RESET BINARY LOGS AND GTIDS"}, {}, {},
      log);
  EXPECT_EQ(reset.find("binlog")->count, 0U);
}

// An entry of the query cache that the table no longer justifies, made by changing the table's file
// behind the server's back: what the positive control of the hunt does by a race.
TEST_P(StateSummaryTest, AStaleQueryCacheShowsInTheAnswer) {
  const std::string question = "SELECT a FROM t1";
  const Statements setup = {"CREATE TABLE t1 (a INT) ENGINE=MyISAM ROW_FORMAT=FIXED",
                            "INSERT INTO t1 VALUES (1)", "FLUSH TABLES"};
  const StateSummary good = summary_of(setup, {question}, {question});
  start(setup, {question}, {}, {});
  if (!has("SELECT @@query_cache_size")) GTEST_SKIP() << "there is no query cache here";
  ask(*client_, question);
  {
    std::fstream data(server_folder() / "data/test/t1.MYD",
                      std::ios::in | std::ios::out | std::ios::binary);
    data.seekp(1);  // after the byte of flags
    data << '\x07';
    ASSERT_TRUE(data.good());
  }
  const StateSummary stale = make_summary(source_->take());
  const Component* cache = stale.find("query-cache:" + question);
  ASSERT_EQ(cache->elements.size(), 1U);
  EXPECT_EQ(cache->elements[0], (Element{"A", "answers 1 row ('1'); the tables say 1 row ('7')"}));
  EXPECT_THAT(differences(good, stale), Contains("query-cache:" + question));
}

TEST_P(MariadbSummaryTest, AsksOnTheClientsOwnConnectionAndLeavesItsCacheSetting) {
  const Statements setup = {"CREATE TEMPORARY TABLE mine (a INT)", "INSERT INTO mine VALUES (5)",
                            "SET SESSION query_cache_type = DEMAND"};
  const StateSummary summary = summary_of(setup, {}, {"SELECT a FROM mine"});
  const Component* answer = summary.find("answer:SELECT a FROM mine");
  ASSERT_EQ(answer->elements.size(), 1U);
  EXPECT_THAT(answer->elements[0].value, HasSubstr("('5')"));
  const Output setting =
      ask(*client_, "SELECT @@SESSION.query_cache_type, @@GLOBAL.query_cache_type");
  EXPECT_EQ(setting.results[0].rows[0], (Row{Cell("DEMAND"), Cell("ON")}));
}

TEST_P(StateSummaryTest, RowsThatTieAreTheSameAnswerAndOtherRowsAreNot) {
  const std::string question = "SELECT a, b FROM t1 ORDER BY b";
  const Statements setup = {"CREATE TABLE t1 (a INT, b INT)" + engine()};
  const auto with = [&](const std::string& values) {
    return summary_of(setup, {"INSERT INTO t1 VALUES " + values}, {question});
  };
  const StateSummary one = with("(1,1),(2,1)");
  EXPECT_THAT(differences(one, with("(2,1),(1,1)")), testing::IsEmpty());
  EXPECT_THAT(differences(one, with("(1,1),(3,1)")), Contains("answer:" + question));
}

TEST_P(StateSummaryTest, ATableLockedByASessionDoesNotHoldTheSummaryUp) {
  const StateSummary summary = summary_of(two_tables(), {"LOCK TABLES t2 WRITE"});
  EXPECT_THAT(summary.find("rows:test.t2")->elements[0].value, StartsWith("error 1205"));
  EXPECT_EQ(summary.find("rows:test.t1")->count, 0U);
}

TEST_P(MariadbSummaryTest, ADeadServerMakesEverythingUnavailable) {
  start(two_tables(), {"SELECT a FROM t1"}, {"SELECT 1"}, {});
  stop_server();
  const StateSummary summary = make_summary(source_->take());
  ASSERT_FALSE(summary.components.empty());
  for (const Component& component : summary.components) {
    EXPECT_NE(component.unavailable, "") << component.name;
    EXPECT_FALSE(same(component, component));
  }
}

TEST_P(MariadbSummaryTest, ALargeTableIsDigestedWholeAndListedInPart) {
  const Statements setup = {"CREATE TABLE t1 (a INT) ENGINE=Aria",
                            "INSERT INTO t1 SELECT seq FROM seq_1_to_12000"};
  const StateSummary all = summary_of(setup, {});
  EXPECT_EQ(all.find("rows:test.t1")->count, 12000U);
  EXPECT_EQ(all.find("rows:test.t1")->elements.size(), kListedRows);
  const StateSummary other = summary_of(setup, {"UPDATE t1 SET a = 9999999 WHERE a = 12000"});
  EXPECT_THAT(differences(all, other), testing::ElementsAre("rows:test.t1"));
}

INSTANTIATE_TEST_SUITE_P(Servers, StateSummaryTest, testing::ValuesIn(kRealServers), test_name);
INSTANTIATE_TEST_SUITE_P(Servers, MariadbSummaryTest, testing::Values(kRealServers[0]), test_name);

}  // namespace
}  // namespace esox
