// SPDX-License-Identifier: Apache-2.0
// The rules that come with esox: each forgives what it is argued for, and a seeded fault in the
// same reply stays.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "analysis/forgiving.h"
#include "analysis/verdict.h"
#include "filters/reader.h"
#include "targets/registry.h"
#include "tests/unit/analysis/builders.h"
#include "tests/unit/servers.h"

namespace esox::test {
namespace {

struct Pair {
  std::string asked;
  std::string beside;
  std::string engine;  // empty: the setup says it
  std::vector<std::string> setup = {};
  std::vector<std::string> options = {};
};

// The reply of A in the execution, and in both orders.
bool is_forgiven(const Pair& pair, const Output& seen, const Output& serial) {
  const auto all = [](const Output& reply) {
    return outcome({reply, ok()}, {bag("tables", {"t1"})});
  };
  ConcreteInput input = pair_input(pair.asked, pair.beside);
  input.engine = pair.engine;
  if (!pair.setup.empty()) input.input.setup = pair.setup;
  const auto set = std::make_shared<const RuleSet>(
      read_rules({*target_named("mariadb").filters_file()}, known_servers()));
  const RulesInForce rules(set, circumstances_of(input, {"10.11.19", pair.options}));
  const ExecutionRecord execution = record(all(seen));
  const std::vector<SerialRun> runs = {test::serial({0, 1}, all(serial)),
                                       test::serial({1, 0}, all(serial))};
  return !judge(execution, runs, {}, Orders::kAsGiven, Forgiveness(rules, execution.stamps))
              .violation();
}

Output named(Output reply, const std::vector<std::string>& columns) {
  for (size_t i = 0; i < columns.size(); ++i) reply.results[0].columns[i].name = columns[i];
  return reply;
}

// SHOW TABLE STATUS beside DROP TABLE: of MariaDB, and twice of MySQL 9.7.
TEST(ShippedRules, AListingMayMissATableAndMayNotMakeOneUp) {
  const Pair pair = {"SHOW TABLE STATUS", "DROP TABLE t1", "InnoDB"};
  const Row sound = {"t1", "InnoDB", "10", "Dynamic", "2", "8192", "16384", "0", "0", "0", ""};
  Output none = rows_reply({sound});
  none.results[0].rows.clear();
  EXPECT_TRUE(is_forgiven(pair, rows_reply({sound}), none));
  const auto listed = [&](const char* engine, const std::optional<std::string>& numbers) {
    Row row = sound;
    row[1] = engine;
    std::fill(row.begin() + 4, row.end() - 1, numbers);
    return rows_reply({row});
  };
  EXPECT_FALSE(is_forgiven(pair, listed("InnoDB", std::nullopt), none));
  EXPECT_FALSE(is_forgiven(pair, listed("InnoDB", "4294967295"), none));
  EXPECT_FALSE(is_forgiven(pair, listed("MyISAM", "0"), none));
  EXPECT_TRUE(is_forgiven(pair, listed("BLACKHOLE", "0"), none));
}

TEST(ShippedRules, RowsOfAPartitionMayBeCountedWhileTheyAreInsertedAndPartitionsMayNotGo) {
  const Pair pair = {"select partition_name, table_rows from INFORMATION_SCHEMA.PARTITIONS",
                     "insert into t1 values (1),(2)", "Aria"};
  const std::vector<std::string> columns = {"partition_name", "table_rows"};
  const Output serial = named(rows_reply({{"p0", "2"}}), columns);
  EXPECT_TRUE(is_forgiven(pair, named(rows_reply({{"p0", "1"}}), columns), serial));
  EXPECT_FALSE(is_forgiven(pair, named(rows_reply({{"p1", "2"}}), columns), serial));
  const Pair reading = {"select partition_name, table_rows from t1", pair.beside, "Aria"};
  EXPECT_FALSE(is_forgiven(reading, named(rows_reply({{"p0", "1"}}), columns), serial));
}

TEST(ShippedRules, RelevanceMayFollowTheStatisticAndWhatIsFoundMayNot) {
  const Pair pair = {"SELECT a, MATCH (b) AGAINST ('x') FROM t1", "INSERT INTO t1 VALUES (1,'x')",
                     "InnoDB"};
  const Output serial = rows_reply({{"1", "0.714191"}, {"2", "0.00000"}});
  EXPECT_TRUE(is_forgiven(pair, rows_reply({{"1", "0.605519"}, {"2", "0.00000"}}), serial));
  EXPECT_FALSE(is_forgiven(pair, rows_reply({{"1", "0.714191"}}), serial));
  EXPECT_FALSE(is_forgiven(pair, rows_reply({{"1", "0.714191"}, {"3", "0.00000"}}), serial));
  EXPECT_FALSE(is_forgiven(pair, rows_reply({{"1", "0.00000"}, {"2", "0.714191"}}), serial));
  const Pair finding = {pair.asked + " WHERE MATCH (b) AGAINST ('x')", pair.beside, "InnoDB"};
  EXPECT_TRUE(is_forgiven(finding, rows_reply({{"1", "0"}, {"2", "0"}}), serial));
  EXPECT_FALSE(is_forgiven(finding, rows_reply({{"1", "0"}}), serial));
  EXPECT_FALSE(is_forgiven(finding, rows_reply({{"1", "0"}, {"3", "0"}}), serial));
  const Pair other = {"SELECT a, b / 3 FROM t1", pair.beside, "InnoDB"};
  EXPECT_FALSE(is_forgiven(other, rows_reply({{"1", "0.605519"}, {"2", "0.00000"}}), serial));
  const Pair aria = {pair.asked, pair.beside, "Aria"};
  EXPECT_FALSE(is_forgiven(aria, rows_reply({{"1", "0.605519"}, {"2", "0.00000"}}), serial));
}

TEST(ShippedRules, TheNextNumberInADefinitionMayBeOfAnyMomentAndTheDefinitionMayNot) {
  const Pair pair = {"SHOW CREATE TABLE t1", "INSERT INTO t1 VALUES (NULL)", "InnoDB"};
  const std::vector<std::string> columns = {"Table", "Create Table"};
  const auto definition = [&](const std::string& engine, const std::string& next) {
    return named(rows_reply({{"t1", "CREATE TABLE `t1` (a INT) ENGINE=" + engine +
                                        " AUTO_INCREMENT=" + next + " DEFAULT CHARSET=latin1"}}),
                 columns);
  };
  EXPECT_TRUE(is_forgiven(pair, definition("InnoDB", "3"), definition("InnoDB", "2")));
  EXPECT_FALSE(is_forgiven(pair, definition("Aria", "2"), definition("InnoDB", "2")));
}

// What a rule forgives in a reply with one column, and the engines that it is argued for.
struct OnEngines {
  const char* rule;
  const char* asked;
  const char* beside;
  const char* column;
  const char* seen;
  const char* serial;
  std::vector<std::string> engines;
};

const std::vector<std::string> kAllEngines = {"Aria", "InnoDB", "MEMORY", "MyISAM"};
constexpr const char* kInsert = "INSERT INTO t1 VALUES (1),(2)";
constexpr const char* kStatus = "SHOW TABLE STATUS";

const OnEngines kOnEngines[] = {
    {"listing-of-tables", "SHOW TABLES", "DROP TABLE t1", "Tables", "t2", "", kAllEngines},
    {"listing-in-information-schema", "SELECT a FROM information_schema.tables", "DROP TABLE t1",
     "a", "t2", "", kAllEngines},
    {"analyzed-twice",
     "ANALYZE TABLE t1",
     "ANALYZE TABLE t1",
     "Msg_text",
     "OK",
     "Table is already up to date",
     {"Aria", "MyISAM"}},
    {"checked-twice", "CHECK TABLE t1 FOR UPGRADE", "CHECK TABLE t1 FOR UPGRADE", "Msg_text", "OK",
     "Table is already up to date", kAllEngines},
    {"in-use-of-an-open-table", "SHOW OPEN TABLES", kInsert, "In_use", "1", "0", kAllEngines},
    {"rows-in-a-plan", "EXPLAIN SELECT * FROM t1", kInsert, "rows", "3", "2", {"InnoDB"}},
    {"cardinality-of-an-index",
     "SHOW INDEX FROM t1",
     kInsert,
     "Cardinality",
     "3",
     "2",
     {"Aria", "InnoDB", "MyISAM"}},
    {"counters-of-a-statement-under-way",
     kStatus,
     kInsert,
     "Rows",
     "3",
     "2",
     {"Aria", "InnoDB", "MyISAM"}},
    {"counters-of-a-statement-under-way",
     kStatus,
     "DELETE FROM t1",
     "Rows",
     "3",
     "2",
     {"Aria", "InnoDB", "MyISAM"}},
    {"row-length-of-a-statement-under-way",
     kStatus,
     kInsert,
     "Avg_row_length",
     "3",
     "2",
     {"Aria", "InnoDB", "MyISAM"}},
    {"auto-increment-of-a-statement-under-way",
     kStatus,
     kInsert,
     "Auto_increment",
     "3",
     "2",
     {"Aria", "InnoDB", "MyISAM"}},
    {"auto-increment-in-a-definition",
     "SHOW CREATE TABLE t1",
     kInsert,
     "Create Table",
     "CREATE TABLE `t1` (`a` int) AUTO_INCREMENT=3 CHARSET=latin1",
     "CREATE TABLE `t1` (`a` int) AUTO_INCREMENT=2 CHARSET=latin1",
     {"Aria", "InnoDB", "MyISAM"}},
    {"rows-of-a-listed-table", "SELECT table_rows FROM information_schema.tables", kInsert,
     "table_rows", "3", "2", kAllEngines},
    {"open-tables", "SHOW GLOBAL STATUS LIKE 'Open_tables'", "FLUSH TABLES", "Value", "3", "2",
     kAllEngines},
    {"relevance-of-full-text",
     "SELECT MATCH (b) AGAINST ('x') FROM t1",
     kInsert,
     "a",
     "0.714191",
     "0.605519",
     {"InnoDB"}},
    {"cardinality-that-analyze-found",
     "SHOW INDEX FROM t1",
     "ANALYZE TABLE t1",
     "Cardinality",
     "238",
     "130",
     {"Aria", "InnoDB", "MyISAM"}},
    {"relevance-of-rows-that-full-text-finds",
     "SELECT MATCH (b) AGAINST ('x') FROM t1 WHERE MATCH (b) AGAINST ('x')",
     kInsert,
     "a",
     "0.714191",
     "0",
     {"InnoDB"}},
};

TEST(ShippedRules, ForgiveOnTheEnginesThatTheyAreArguedForAndOnNoOther) {
  for (const OnEngines& one : kOnEngines) {
    const auto reply = [&](const char* value) {
      Output made = named(rows_reply({{value}}), {one.column});
      if (*value == '\0') made.results[0].rows.clear();
      return made;
    };
    std::vector<std::string> forgiving;
    for (const std::string& engine : kAllEngines) {
      const Pair pair = {one.asked, one.beside, engine};
      if (is_forgiven(pair, reply(one.seen), reply(one.serial))) forgiving.push_back(engine);
    }
    EXPECT_EQ(forgiving, one.engines) << one.rule << ": " << one.asked;
  }
}

// The others are of no reply (tolerate, split) or tested above by more than an engine.
TEST(ShippedRules, EachOneThatIgnoresAPlaceHasAnExampleOnEveryEngine) {
  const RuleSet set = read_rules({*target_named("mariadb").filters_file()}, known_servers());
  for (const Rule& rule : set.rules) {
    if (rule.kind != RuleKind::kIgnore && rule.kind != RuleKind::kNormalise) continue;
    if (rule.reply != ReplyPart::kRows) continue;
    EXPECT_TRUE(std::ranges::any_of(kOnEngines, [&](const OnEngines& one) {
      return one.rule == rule.name;
    })) << rule.name;
  }
}

TEST(ShippedRules, OpenTablesMayBeCountedWhileTheyAreFlushedAndOtherCountersMayNot) {
  const auto shown = [](const std::string& name, const std::string& value) {
    return named(rows_reply({{name, value}}), {"Variable_name", "Value"});
  };
  const Pair pair = {"SHOW STATUS LIKE 'Open_tables'", "FLUSH TABLES", "Aria"};
  EXPECT_TRUE(is_forgiven(pair, shown("Open_tables", "3"), shown("Open_tables", "5")));
  const Pair other = {"SHOW STATUS LIKE 'Com_insert'", "FLUSH TABLES", "Aria"};
  EXPECT_FALSE(is_forgiven(other, shown("Com_insert", "3"), shown("Com_insert", "5")));
}

Output told(const std::vector<Row>& rows) {
  return named(rows_reply(rows), {"Table", "Msg_text"});
}

// A of the pair is not in the third order; the state is that of B alone, or what is given.
bool may_fail(const ConcreteInput& input, const Output& seen, const char* state = "checked: OK") {
  const auto set = std::make_shared<const RuleSet>(
      read_rules({*target_named("mariadb").filters_file()}, known_servers()));
  const RulesInForce rules(set, circumstances_of(input, {"10.11.19", {}}));
  const auto all = [](const Output& reply, const char* left) {
    return outcome({reply, ok()}, {bag("tables", {left})});
  };
  const Output well = told({{"t1", "OK"}});
  SerialRun without = test::serial({1}, all(Output{}, "checked: OK"));
  without.without = {{0, 0}};
  const std::vector<SerialRun> runs = {test::serial({0, 1}, all(well, "checked: OK")),
                                       test::serial({1, 0}, all(well, "checked: OK")), without};
  const ExecutionRecord execution = record(all(seen, state));
  return !judge(execution, runs, {}, Orders::kAsGiven, Forgiveness(rules, execution.stamps))
              .violation();
}

TEST(ShippedRules, WhatIsKilledMayFailInARowIfAllElseIsAsWithoutIt) {
  const auto forgiven = [](const char* asked, const char* beside, const Output& seen,
                           const char* state = "checked: OK") {
    return may_fail(pair_input(asked, beside), seen, state);
  };
  const Output killed = told({{"t1", "Query execution was interrupted"}, {"t1", "Corrupt"}});
  for (const char* asked : {"ANALYZE TABLE t1", "CHECK TABLE t1", "CHECK VIEW t1",
                            "OPTIMIZE TABLE t1", "ALTER TABLE t1 CHECK PARTITION p0"}) {
    EXPECT_TRUE(forgiven(asked, "KILL QUERY 7", killed)) << asked;
  }
  EXPECT_TRUE(forgiven("CHECK TABLE t1", "KILL QUERY 7", told({{"t1", "Corrupt"}})));
  EXPECT_FALSE(forgiven("CHECK TABLE t1", "KILL QUERY 7", killed, "checked: Corrupt"));
  EXPECT_FALSE(forgiven("CHECK TABLE t1", "DELETE FROM t1", killed));
  EXPECT_FALSE(forgiven("SELECT a FROM t1", "KILL QUERY 7", killed));
  EXPECT_FALSE(forgiven("CHECK TABLE t1", "KILL QUERY 7", told({{"t1", "Found 1 keys of 2"}})));
}

TEST(ShippedRules, ALockThatIsNotHadInTimeMayBeGivenUpWhereTheInputSetsTheTime) {
  const Output late = told({{"t1", "does not support optimize"},
                            {"t1", "Lock wait timeout exceeded; try restarting transaction"},
                            {"t1", "Operation failed"}});
  EXPECT_TRUE(may_fail(pair_input("OPTIMIZE TABLE t1 WAIT 1", "TRUNCATE t1"), late));
  EXPECT_FALSE(
      may_fail(pair_input("OPTIMIZE TABLE t1 WAIT 1", "TRUNCATE t1"), late, "checked: no"));
  EXPECT_FALSE(may_fail(pair_input("OPTIMIZE TABLE t1", "TRUNCATE t1"), late));
  EXPECT_FALSE(may_fail(pair_input("OPTIMIZE TABLE t1 WAIT 1", "DROP TABLE t1"),
                        told({{"t1", "Table 'test.t1' doesn't exist"}})));
  const Output refused = error_reply(1205);
  EXPECT_TRUE(may_fail(pair_input("DROP TABLE t1 NOWAIT", "SHOW CREATE TABLE t1"), refused));
  EXPECT_FALSE(may_fail(pair_input("DROP TABLE t1", "SHOW CREATE TABLE t1"), refused));
  EXPECT_FALSE(
      may_fail(pair_input("DROP TABLE t1 NOWAIT", "SHOW CREATE TABLE t1"), refused, "checked: no"));
  ConcreteInput short_of_time = pair_input("DELETE FROM t1", "TRUNCATE t1");
  EXPECT_FALSE(may_fail(short_of_time, error_reply(1205)));
  short_of_time.input.clients[0].setup = {"SET lock_wait_timeout = 1"};
  EXPECT_TRUE(may_fail(short_of_time, error_reply(1205)));
  EXPECT_FALSE(may_fail(short_of_time, error_reply(1205), "checked: no"));
}

TEST(ShippedRules, AStatementMayBeEndedByALimitThatTheInputSets) {
  ConcreteInput limited = pair_input("DELETE FROM t1", "SELECT a FROM t1");
  EXPECT_FALSE(may_fail(limited, error_reply(1969)));
  limited.input.server_options = {"--max-statement-time=2"};
  EXPECT_TRUE(may_fail(limited, error_reply(1969)));
  EXPECT_FALSE(may_fail(limited, error_reply(1969), "checked: no"));
  EXPECT_FALSE(may_fail(limited, error_reply(1317))) << "nobody kills it";
}

TEST(ShippedRules, AStatementMayBeTheVictimOfAnEvents) {
  ConcreteInput input = pair_input("DELETE FROM t1", "SELECT 1");
  input.input.setup.push_back("CREATE EVENT e1 ON SCHEDULE EVERY 1 DAY DO DELETE FROM t1");
  EXPECT_TRUE(may_fail(input, error_reply(1213)));
  EXPECT_FALSE(may_fail(input, error_reply(1213), "checked: no"));
  input.input.setup.back() = "CREATE TABLE event (a INT)";
  EXPECT_FALSE(may_fail(input, error_reply(1213)));
}

TEST(ShippedRules, ADefinitionMayBeTheVictimOfAnotherOne) {
  const Output victim = error_reply(1213);
  const auto refused = [&](const char* asked, const char* beside, const char* state) {
    return may_fail(pair_input(asked, beside), victim, state);
  };
  constexpr const char* kAlter = "ALTER TABLE t1 ADD COLUMN c INT";
  EXPECT_TRUE(refused("DROP TRIGGER g1", kAlter, "checked: OK"));
  EXPECT_TRUE(refused(kAlter, "DROP TRIGGER g1", "checked: OK"));
  EXPECT_FALSE(refused("DROP TRIGGER g1", kAlter, "checked: no"));
  EXPECT_FALSE(refused("DROP TRIGGER g1", "SELECT a FROM t1", "checked: OK"));
  EXPECT_TRUE(refused("CHECK TABLE t1 FOR UPGRADE", kAlter, "checked: OK"));
  EXPECT_TRUE(refused(kAlter, "CHECK TABLE t1 FOR UPGRADE", "checked: OK"));
  EXPECT_FALSE(refused("CHECK TABLE t1 FOR UPGRADE", kAlter, "checked: no"));
  EXPECT_FALSE(refused("CHECK TABLE t1", kAlter, "checked: OK"));
}

TEST(ShippedRules, ATableMayBeCheckedTwiceAndMayNotBeDamaged) {
  const Pair pair = {"CHECK TABLE t1 FOR UPGRADE", "CHECK TABLE t1 FOR UPGRADE", "InnoDB"};
  const Output serial = told({{"t1", "Table is already up to date"}});
  EXPECT_TRUE(is_forgiven(pair, told({{"t1", "OK"}}), serial));
  EXPECT_FALSE(is_forgiven(pair, told({{"t1", "Corrupt"}}), serial));
  const Pair another = {"CHECK TABLE t1", "CHECK TABLE t1", "InnoDB"};
  EXPECT_FALSE(is_forgiven(another, told({{"t1", "OK"}}), serial));
}

TEST(ShippedRules, WhatIsKilledAtItsEndMayWarnAndMayNotLoseRows) {
  const auto ended = [](const char* info, uint64_t warnings) {
    Output reply = ok(2);
    reply.info = info;
    reply.warning_count = warnings;
    return reply;
  };
  const Output well = ended("Records: 2  Duplicates: 0  Warnings: 0", 0);
  const Output warned = ended("Records: 2  Duplicates: 0  Warnings: 1", 1);
  const Pair killed = {"ALTER TABLE t1 ADD COLUMN c INT", "KILL QUERY 7", "InnoDB"};
  EXPECT_TRUE(is_forgiven(killed, warned, well));
  EXPECT_FALSE(is_forgiven(killed, ended("Records: 1  Duplicates: 0  Warnings: 1", 1), well));
  const Pair alone = {killed.asked, "DELETE FROM t1", "InnoDB"};
  EXPECT_FALSE(is_forgiven(alone, warned, well));
}

// An input of several engines, as they are generated: a rule is for a request by the tables that
// the request names.
TEST(ShippedRules, AreChosenByTheEnginesOfTheTablesThatARequestNames) {
  const auto forgiven = [](const std::string& asked, const std::vector<std::string>& setup,
                           const std::vector<std::string>& options = {}) {
    Pair pair = {asked, "ALTER TABLE t2 ADD COLUMN c INT", ""};
    pair.setup = setup;
    pair.options = options;
    return is_forgiven(pair, named(rows_reply({{"OK"}}), {"Msg_text"}),
                       named(rows_reply({{"Table is already up to date"}}), {"Msg_text"}));
  };
  const std::vector<std::string> two = {"CREATE TABLE t1 (a INT) ENGINE = aria",
                                        "CREATE TABLE t2 (a INT) ENGINE = InnoDB"};
  EXPECT_TRUE(forgiven("ANALYZE TABLE t1", two));
  EXPECT_FALSE(forgiven("ANALYZE TABLE t2", two));
  EXPECT_FALSE(forgiven("ANALYZE TABLE t1, t2", two));
  EXPECT_FALSE(forgiven("ANALYZE TABLE t1", {"CREATE TABLE t1 (a INT)"}));
  EXPECT_TRUE(
      forgiven("ANALYZE TABLE t1", {"CREATE TABLE t1 (a INT)"}, {"--default-storage-engine=Aria"}));
  EXPECT_FALSE(forgiven("ANALYZE TABLE t3", two)) << "of which nobody says what it is";
}

TEST(ShippedRules, RowsThatTieMayComeInAnotherOrderAndOthersMayNotCome) {
  const Pair pair = {"SELECT a, b FROM t1 ORDER BY b", "INSERT INTO t1 VALUES (3,3)", "Aria"};
  const Output serial = rows_reply({{"1", "1"}, {"2", "1"}}, true);
  EXPECT_TRUE(is_forgiven(pair, rows_reply({{"2", "1"}, {"1", "1"}}, true), serial));
  EXPECT_FALSE(is_forgiven(pair, rows_reply({{"2", "1"}}, true), serial));
  EXPECT_FALSE(is_forgiven(pair, rows_reply({{"2", "1"}, {"2", "1"}}, true), serial));
  const Pair alone = {pair.asked, "SELECT 1", "Aria"};
  EXPECT_FALSE(is_forgiven(alone, rows_reply({{"2", "1"}, {"1", "1"}}, true), serial));
}

TEST(ShippedRules, EstimatesOfInnoDBMayFollowRowsThatAreWrittenAndPlansMayNot) {
  const Pair plan = {"EXPLAIN SELECT * FROM t1", "INSERT INTO t1 VALUES (1)", "InnoDB"};
  const std::vector<std::string> of_plan = {"key", "rows"};
  const Output serial = named(rows_reply({{"k", "2"}}), of_plan);
  EXPECT_TRUE(is_forgiven(plan, named(rows_reply({{"k", "3"}}), of_plan), serial));
  EXPECT_FALSE(is_forgiven(plan, named(rows_reply({{"PRIMARY", "2"}}), of_plan), serial));
  const Pair aria = {plan.asked, plan.beside, "Aria"};
  EXPECT_FALSE(is_forgiven(aria, named(rows_reply({{"k", "3"}}), of_plan), serial));

  const Pair listed = {"SHOW INDEX FROM t1", "INSERT INTO t1 VALUES (1)", "InnoDB"};
  const std::vector<std::string> of_index = {"Key_name", "Cardinality"};
  const Output index = named(rows_reply({{"k", "2"}}), of_index);
  EXPECT_TRUE(is_forgiven(listed, named(rows_reply({{"k", "4"}}), of_index), index));
  EXPECT_FALSE(is_forgiven(listed, named(rows_reply({{"l", "2"}}), of_index), index));
}

TEST(ShippedRules, WhatWasAnalyzedInTheMiddleOfARequestMayBeShownLater) {
  Pair pair = {"SHOW INDEX FROM t1",
               "SELECT 1",
               "InnoDB",
               {"CREATE TABLE t1 (a INT, KEY (a)) ENGINE=InnoDB", "ANALYZE TABLE t1"}};
  const std::vector<std::string> columns = {"Key_name", "Cardinality"};
  const auto index = [&](const char* name, const char* number) {
    return named(rows_reply({{name, number}}), columns);
  };
  EXPECT_TRUE(is_forgiven(pair, index("a", "238"), index("a", "130")));
  EXPECT_FALSE(is_forgiven(pair, index("b", "238"), index("a", "130")));
  pair.setup.pop_back();
  EXPECT_FALSE(is_forgiven(pair, index("a", "238"), index("a", "130")));
}

TEST(ShippedRules, AnalyzingMayFindATableWrittenAnewAndMayNotFail) {
  const Pair pair = {"ANALYZE TABLE t1", "ALTER TABLE t1 ADD COLUMN c INT", "MyISAM"};
  const auto said = [](const std::string& type, const std::string& text) {
    return named(rows_reply({{type, text}}), {"Msg_type", "Msg_text"});
  };
  const Output serial = said("status", "OK");
  EXPECT_TRUE(is_forgiven(pair, said("status", "Table is already up to date"), serial));
  EXPECT_FALSE(is_forgiven(pair, said("status", "Operation failed"), serial));
}

}  // namespace
}  // namespace esox::test
