// SPDX-License-Identifier: Apache-2.0
// What sessions and races leave behind beside data, on a real server: indexes, files, locks,
// transactions, programs. For each component a seeded fault that it must catch and a harmless
// difference that it must not.
#include <set>

#include "tests/integration/state_fixture.h"

namespace esox {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class ComponentsTest : public StateTest {
 protected:
  // A definition kept in a file of its own; newer MySQL has a data dictionary.
  bool has_definition_file(const std::string& name) const {
    return std::filesystem::exists(data() / name);
  }
};

// Of the server that plugins are beside.
class MariadbComponentsTest : public ComponentsTest {};

std::string cell_named(const Output& output, const std::string& name) {
  const ResultSet& result = output.results.at(0);
  for (size_t i = 0; i < result.columns.size(); ++i) {
    if (result.columns[i].name == name) return result.rows.at(0)[i].value_or("");
  }
  return {};
}

// The promise that the comparison stands on: the optimizer answers from the index alone.
TEST_P(ComponentsTest, AnIndexScanReadsTheIndexOnEachEngine) {
  for (const std::string& engine : std::set<std::string>{GetParam().engine, "MyISAM", "InnoDB"}) {
    const std::string descending = engine == "MyISAM" ? "" : " DESC";  // newer MySQL refuses it
    start(
        {"CREATE TABLE t (a INT, b VARCHAR(9) NOT NULL, c DECIMAL(5,2), PRIMARY KEY (b), KEY k "
         "(a, c" +
             descending + "), UNIQUE KEY u (c)) ENGINE=" + engine,
         "INSERT INTO t VALUES (1,'x',1.5),(2,'y',NULL),(NULL,'z',-3)"});
    ask(*own_, "SET SESSION explain_format = 'TRADITIONAL'");  // where there are others
    const std::string create = *ask(*own_, "SHOW CREATE TABLE t").results[0].rows[0][1];
    const std::vector<Index> indexes = readable_indexes(create);
    EXPECT_EQ(indexes.size(), engine == "InnoDB" ? 2U : 3U) << create;
    for (const Index& index : indexes) {
      const Output plan = ask(*own_, "EXPLAIN " + scan_of("`test`.`t`", index));
      ASSERT_EQ(plan.results.size(), 1U);
      EXPECT_EQ(cell_named(plan, "type"), "index") << engine << " " << index.name;
      EXPECT_EQ(cell_named(plan, "key"), index.name);
      EXPECT_THAT(cell_named(plan, "Extra"), HasSubstr("Using index"));
      EXPECT_EQ(taken("index:test.t." + index.name).count, 0U) << engine << " " << index.name;
    }
  }
}

TEST_P(ComponentsTest, IndexesOfPartitionsAgreeToo) {
  EXPECT_EQ(after({std::string("CREATE TABLE t (a INT, KEY k (a)) ENGINE=") +
                       (is_mariadb() ? "Aria" : "InnoDB") + " PARTITION BY HASH(a) PARTITIONS 3",
                   "INSERT INTO t VALUES (1),(2),(3),(4)"},
                  {"UPDATE t SET a = a + 1"}, "index:test.t.k")
                .count,
            0U);
}

TEST_P(ComponentsTest, RowsTakenInAnotherOrderLeaveTheSameIndex) {
  const Statements setup = {"CREATE TABLE t (a INT, KEY k (a)) ENGINE=MyISAM"};
  const Component forward =
      after(setup, {"INSERT INTO t VALUES (1)", "INSERT INTO t VALUES (2)"}, "index:test.t.k");
  EXPECT_TRUE(same(forward, after(setup, {"INSERT INTO t VALUES (2)", "INSERT INTO t VALUES (1)"},
                                  "index:test.t.k")));
}

// The row is changed in the file of data, behind the back of the index.
TEST_P(ComponentsTest, ARowThatItsIndexDoesNotKnowIsShownFromBothSides) {
  start({"CREATE TABLE t (a INT, KEY k (a)) ENGINE=MyISAM ROW_FORMAT=FIXED",
         "INSERT INTO t VALUES (1),(2)", "FLUSH TABLES"});
  write_at("t.MYD", 1, "\x07");  // after the byte of flags
  EXPECT_THAT(taken("index:test.t.k").elements,
              testing::UnorderedElementsAre(Element{"only in the table scan", "('7')"},
                                            Element{"only in the index k", "('1')"}));
}

TEST_P(ComponentsTest, FilesOfNoTableShowAndThoseOfDroppedTablesAreGone) {
  const Statements setup = {"CREATE TABLE t (a INT, FULLTEXT KEY (b), b TEXT) ENGINE=InnoDB",
                            "CREATE TABLE `odd-name` (a INT)" + engine()};
  for (const Statements& history :
       {Statements{"DROP TABLE `odd-name`"},
        {"RENAME TABLE t TO u"},
        {"TRUNCATE TABLE t"},
        {"ALTER TABLE t ADD c INT, ALGORITHM=COPY"},
        {"OPTIMIZE TABLE t"},
        {"CREATE TRIGGER g BEFORE INSERT ON t FOR EACH ROW SET @x = 1"}}) {
    EXPECT_EQ(after(setup, history, "files").count, 0U) << history[0];
  }
  start(setup);
  std::ofstream(data() / "#sql-alter-4a1-5.frm") << "left behind";
  EXPECT_THAT(taken("files").elements, ElementsAre(Element{"test", "#sql-alter-#-#.frm"}));
}

TEST_P(ComponentsTest, ATemporaryTableThatASessionKeepsShows) {
  EXPECT_THAT(after({}, {"CREATE TEMPORARY TABLE mine (a INT) ENGINE=MyISAM"}, "files").elements,
              Contains(testing::Field(&Element::key, "tmp")));
  EXPECT_EQ(after({}, {"CREATE TEMPORARY TABLE mine (a INT)", "DROP TABLE mine"}, "files").count,
            0U);
}

// InnoDB tells once more what it told less than a tenth of a second ago (trx0i_s.cc,
// CACHE_MIN_IDLE_TIME_US), be it in another test; in an execution it is asked once.
TEST_P(ComponentsTest, AnOpenTransactionShowsWithWhatItChanged) {
  const std::string wait = "DO SLEEP(0.2)";
  const Statements setup = {"CREATE TABLE t (a INT) ENGINE=InnoDB"};
  const Component open =
      after(setup, {"BEGIN", "INSERT INTO t VALUES (1),(2)", wait}, "transactions");
  EXPECT_THAT(open.elements,
              ElementsAre(Element{"A", "RUNNING, REPEATABLE READ, rows modified: 2"}));
  EXPECT_EQ(
      after(setup, {"BEGIN", "INSERT INTO t VALUES (1),(2)", "COMMIT", wait}, "transactions").count,
      0U);
}

TEST_P(ComponentsTest, WhatIsInAnotherDatabaseShowsAndThatItIsGone) {
  databases_ = {"d1"};
  const Statements setup = {"DROP DATABASE IF EXISTS d1", "CREATE DATABASE d1",
                            "CREATE TABLE d1.t (a INT, KEY (a))", "CREATE TABLE t (a INT)",
                            "INSERT INTO d1.t VALUES (1)"};
  const StateSummary as_set_up = summary_of(setup, {});
  EXPECT_THAT(differences(summary_of(setup, {}), as_set_up), IsEmpty());
  EXPECT_THAT(differences(summary_of(setup, {"INSERT INTO d1.t VALUES (2)"}), as_set_up),
              ElementsAre("rows:d1.t"));
  EXPECT_THAT(differences(summary_of(setup, {"INSERT INTO t VALUES (2)"}), as_set_up),
              ElementsAre("rows:test.t"));
  start(setup);
  source_->take();
  run({"RENAME TABLE d1.t TO d1.u"});
  EXPECT_EQ(taken("tables:d1").elements[0].value, "u BASE TABLE");
  EXPECT_EQ(taken("check:d1.u").elements[0].value, "status: OK");
  run({"DROP DATABASE d1"});
  const StateSummary gone = make_summary(source_->take());
  EXPECT_THAT(gone.find("tables:d1")->elements,
              ElementsAre(Element{"", "there is no such database"}));
  EXPECT_EQ(gone.find("rows:d1.u"), nullptr);
  run({"CREATE DATABASE d1"});
  EXPECT_EQ(taken("tables:d1").count, 0U);
  run({"DROP DATABASE d1"});
}

TEST_P(ComponentsTest, ATableThatASessionKeepsInUseShowsAndOpenOnesDoNot) {
  const Statements setup = {"CREATE TABLE t (a INT)" + engine(), "CREATE TABLE u (a INT)"};
  EXPECT_THAT(after(setup, {"HANDLER t OPEN"}, "open-tables").elements,
              ElementsAre(Element{"t", "in use 1 times"}));
  const Component opened = after(setup, {"SELECT * FROM t"}, "open-tables");
  EXPECT_THAT(opened.elements, IsEmpty());
  EXPECT_TRUE(same(opened, after(setup, {"FLUSH TABLES"}, "open-tables")));
  EXPECT_TRUE(same(opened, after(setup, {"SELECT * FROM u", "DROP TABLE u"}, "open-tables")));
}

TEST_P(ComponentsTest, KeyBlocksThatWaitToBeWrittenShow) {
  const std::string table = "CREATE TABLE t (a INT, KEY (a)) ENGINE=MyISAM";
  EXPECT_THAT(
      after({table + " DELAY_KEY_WRITE=1"}, {"INSERT INTO t VALUES (1)"}, "key-blocks").elements,
      ElementsAre(testing::Field(&Element::value, "some not written")));
  EXPECT_THAT(after({table}, {"INSERT INTO t VALUES (1)"}, "key-blocks").elements,
              ElementsAre(testing::Field(&Element::value, "all written")));
}

TEST_P(ComponentsTest, ProgramsShowByWhatTheyDo) {
  const Statements setup = {"CREATE TABLE t (a INT)"};
  const std::string trigger = "CREATE TRIGGER g BEFORE INSERT ON t FOR EACH ROW SET NEW.a = ";
  EXPECT_THAT(after(setup, {trigger + "1"}, "triggers").elements,
              ElementsAre(Element{"g", "BEFORE INSERT ON t: SET NEW.a = 1"}));
  EXPECT_FALSE(
      same(after(setup, {trigger + "1"}, "triggers"), after(setup, {trigger + "2"}, "triggers")));
  const std::string event = "CREATE EVENT e ON SCHEDULE EVERY 1 HOUR DO DELETE FROM t";
  EXPECT_TRUE(same(after(setup, {event, "CREATE PROCEDURE p() SELECT 1"}, "events"),
                   after(setup, {"CREATE PROCEDURE p() SELECT 1", event}, "events")));
  const Component routines = after(setup, {"CREATE PROCEDURE p() SELECT 1"}, "routines");
  ASSERT_EQ(routines.elements.size(), 1U);
  EXPECT_EQ(routines.elements[0].key, "PROCEDURE p");
  EXPECT_FALSE(same(routines, after(setup, {"CREATE PROCEDURE p() SELECT 2"}, "routines")));
  EXPECT_EQ(after(setup, {event}, "events").count, 1U);
}

// Behind the server's back: the trigger's file goes, as a half-done DROP TABLE leaves it.
TEST_P(ComponentsTest, ATriggerThatLostItsFileIsMissed) {
  const Statements setup = {"CREATE TABLE t (a INT)"};
  const std::string g = "CREATE TRIGGER g BEFORE INSERT ON t FOR EACH ROW SET @g = 1";
  const std::string h = "CREATE TRIGGER h AFTER INSERT ON t FOR EACH ROW SET @h = 1";
  const Component both = after(setup, {g, h}, "triggers");
  EXPECT_EQ(both.count, 2U);
  EXPECT_TRUE(same(both, after(setup, {h, g}, "triggers")));
  if (!has_definition_file("t.TRG")) GTEST_SKIP() << "triggers have no files here";
  run({"FLUSH TABLES"});
  std::filesystem::remove(data() / "t.TRG");
  EXPECT_FALSE(same(both, taken("triggers")));
  EXPECT_EQ(taken("triggers").count, 0U);
}

TEST_P(ComponentsTest, TheOrderInWhichTriggersOfOneOccasionRunShows) {
  const Statements setup = {"CREATE TABLE t (a INT)"};
  const std::string g = "CREATE TRIGGER g BEFORE INSERT ON t FOR EACH ROW SET @x = 1";
  const std::string h = "CREATE TRIGGER h BEFORE INSERT ON t FOR EACH ROW SET @x = 2";
  start(setup);
  run({g});
  if (!has(h)) GTEST_SKIP() << "one trigger for each occasion here";
  EXPECT_THAT(after(setup, {h, g}, "triggers").elements,
              testing::UnorderedElementsAre(Element{"h", "BEFORE INSERT ON t: SET @x = 2"},
                                            Element{"g",
                                                    "BEFORE INSERT ON t, number 2: SET @x = "
                                                    "1"}));
  EXPECT_FALSE(same(after(setup, {g, h}, "triggers"), after(setup, {h, g}, "triggers")));
}

TEST_P(ComponentsTest, ARoutineWithAnotherBodyInTheServersTableIsCaught) {
  const std::string p = "CREATE PROCEDURE p(IN a INT) SELECT 1";
  const std::string f = "CREATE FUNCTION f() RETURNS INT DETERMINISTIC RETURN 1";
  const Component good = after({}, {p, f}, "routines");
  EXPECT_TRUE(same(good, after({}, {f, p}, "routines")));
  if (!has("SELECT 1 FROM mysql.proc LIMIT 0")) GTEST_SKIP() << "routines have no table here";
  run({"UPDATE mysql.proc SET body = 'SELECT 2' WHERE db = 'test' AND name = 'p'"});
  const Component bad = taken("routines");
  EXPECT_FALSE(same(good, bad));
  EXPECT_THAT(bad.elements, Contains(testing::Field(&Element::value, HasSubstr("SELECT 2"))));
  run({"DELETE FROM mysql.proc WHERE db = 'test' AND name = 'f'"});
  EXPECT_EQ(taken("routines").count, 1U);
}

TEST_P(ComponentsTest, AnEventThatIsEnabledInTheServersTableAloneIsCaught) {
  const Statements setup = {"CREATE TABLE t (a INT)"};
  const std::string e = "CREATE EVENT e ON SCHEDULE EVERY 1 HOUR DISABLE DO DELETE FROM t";
  const std::string d = "CREATE EVENT d ON SCHEDULE EVERY 2 DAY DO DELETE FROM t";
  const Component good = after(setup, {e, d}, "events");
  EXPECT_EQ(good.count, 2U);
  EXPECT_TRUE(same(good, after(setup, {d, e}, "events")));
  if (!has("SELECT 1 FROM mysql.event LIMIT 0")) GTEST_SKIP() << "events have no table here";
  run({"UPDATE mysql.event SET status = 'ENABLED' WHERE db = 'test' AND name = 'e'"});
  EXPECT_FALSE(same(good, taken("events")));
}

// The table's files go while it is open, as a DROP TABLE does that forgets the cache.
TEST_P(ComponentsTest, ATableThatIsOpenThoughThereIsNoneShows) {
  start({"CREATE TABLE ghost (a INT) ENGINE=MyISAM", "CREATE TABLE t (a INT) ENGINE=MyISAM"});
  run({"SELECT * FROM ghost", "SELECT * FROM t"});
  EXPECT_THAT(taken("open-tables").elements, IsEmpty());
  if (!has_definition_file("ghost.frm")) GTEST_SKIP() << "definitions have no files here";
  for (const char* suffix : {".frm", ".MYD", ".MYI"}) {
    std::filesystem::remove(data() / (std::string("ghost") + suffix));
  }
  EXPECT_THAT(taken("open-tables").elements,
              ElementsAre(Element{"ghost", "open, but there is no such table"}));
  run({"FLUSH TABLES"});
  EXPECT_THAT(taken("open-tables").elements, IsEmpty());
}

// With the plugin, where it is installed beside the server (Debian: mariadb-server) or was brought
// by make mariadb-test.
Statements plugin(const std::string& name) {
  if (!std::filesystem::exists(ESOX_PLUGINS)) return {};
  return {"--plugin-dir=" ESOX_PLUGINS, "--plugin-load-add=" + name};
}

// Entries made by the setup, a procedure, a compound statement and a prepared one, which the table
// no longer justifies: it is changed in its file, behind the server's back.
TEST_P(MariadbComponentsTest, EveryEntryOfTheQueryCacheIsHeldAgainstTheTables) {
  start({"CREATE TABLE t (a INT) ENGINE=MyISAM ROW_FORMAT=FIXED", "INSERT INTO t VALUES (1)",
         "CREATE PROCEDURE p() SELECT a + 1 FROM t", "SELECT a + 2 FROM t", "FLUSH TABLES"},
        {}, {}, plugin("query_cache_info"));
  if (taken("query-cache-entries").name.empty()) GTEST_SKIP() << "no plugin query_cache_info here";
  const Statements history = {"CALL p()", "BEGIN NOT ATOMIC SELECT a + 3 FROM t; END",
                              "EXECUTE IMMEDIATE 'SELECT a + 4 FROM t'", "(SELECT a FROM t)"};
  run(history);
  ask(*own_, "SELECT a + 2 FROM t");
  const Component good = taken("query-cache-entries");
  EXPECT_EQ(good.unavailable, "");
  EXPECT_THAT(good.elements, IsEmpty());
  run({"FLUSH TABLES"});
  EXPECT_TRUE(same(good, taken("query-cache-entries"))) << "whether entries are there counts";

  run({"RESET QUERY CACHE"});
  run(history);
  ask(*own_, "SELECT a + 2 FROM t");
  write_at("t.MYD", 1, "\x07");  // after the byte of flags
  std::set<std::string> stale;
  for (const Element& element : taken("query-cache-entries").elements) {
    stale.insert(element.key);
    EXPECT_THAT(element.value, HasSubstr(" answers 1 row "));
  }
  EXPECT_THAT(stale, ElementsAre("(SELECT a FROM t)", "SELECT a + 1 FROM t", "SELECT a + 2 FROM t",
                                 "SELECT a + 3 FROM t", "SELECT a + 4 FROM t"));
}

// By MariaDB's plugin, or MySQL's performance schema.
TEST_P(ComponentsTest, LocksOnNamesAndUserLocksThatAreKeptShow) {
  const bool beside = GetParam().name == kInstalled;
  start({"CREATE TABLE t (a INT)" + engine()}, {}, {},
        beside ? plugin("metadata_lock_info") : Statements());
  if (taken("metadata-locks").name.empty()) GTEST_SKIP() << "nothing here tells of metadata locks";
  run({"SELECT * FROM t", "DO GET_LOCK('mine', 1)", "DO RELEASE_LOCK('mine')"});
  const Component none = taken("metadata-locks");
  EXPECT_EQ(none.unavailable, "");
  EXPECT_THAT(none.elements, IsEmpty());
  run({"DO GET_LOCK('mine', 1)", "BEGIN", "SELECT * FROM t"});
  const auto is = [](const char* text) {
    return Contains(testing::Field(&Element::value, HasSubstr(text)));
  };
  const std::vector<Element> kept = taken("metadata-locks").elements;
  EXPECT_THAT(kept,
              is_mariadb() ? is("User lock on mine") : is("EXCLUSIVE, USER LEVEL LOCK on mine"));
  EXPECT_THAT(kept, is_mariadb() ? is("MDL_SHARED_READ, Table metadata lock on test.t")
                                 : is("SHARED_READ, TABLE on test.t"));
}

const Statements kRights = {"CREATE USER u@localhost IDENTIFIED BY 'secret'",
                            "GRANT SELECT ON *.* TO u@localhost",
                            "GRANT INSERT ON test.* TO u@localhost",
                            "GRANT UPDATE ON test.t TO u@localhost",
                            "GRANT REFERENCES (a) ON test.t TO u@localhost",
                            "GRANT EXECUTE ON PROCEDURE test.p TO u@localhost",
                            "CREATE ROLE r",
                            "GRANT DELETE ON test.t TO r",
                            "GRANT r TO u@localhost"};
const Statements kObjects = {"CREATE TABLE t (a INT) ENGINE=InnoDB",
                             "CREATE PROCEDURE p() SELECT 1"};

class AccountsTest : public StateTest {
 protected:
  // Not every server knows roles, nor IF EXISTS.
  StateSummary left_by(const Statements& history) {
    start(kObjects);
    run({"DROP USER u@localhost", "DROP ROLE r"});
    source_->begin();
    run(history);
    return make_summary(source_->take());
  }
};

TEST_P(AccountsTest, RightsGivenInAnotherOrderAreTheSameAndEachOneCounts) {
  const StateSummary all = left_by(kRights);
  for (const char* name : {"accounts", "grants", "reloaded-grants"}) {
    EXPECT_EQ(all.find(name)->unavailable, "") << name;
  }
  EXPECT_THAT(all.find("reloaded-grants")->elements, IsEmpty());
  Statements another = kRights;
  std::reverse(another.begin() + 1, another.begin() + 6);
  EXPECT_THAT(differences(all, left_by(another)), IsEmpty());
  for (size_t without = 1; without < 6; ++without) {
    Statements fewer = kRights;
    fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(without));
    EXPECT_THAT(differences(all, left_by(fewer)), testing::IsSupersetOf({"accounts", "grants"}))
        << kRights[without];
  }
  if (!has("CREATE ROLE s")) return;
  Statements without_role(kRights.begin(), kRights.end() - 1);
  EXPECT_THAT(differences(all, left_by(without_role)), testing::IsSupersetOf({"grants"}));
  run({"DROP ROLE s"});
}

// One that is salted has other bytes each time.
TEST_P(AccountsTest, APasswordCountsAndItsSaltDoesNot) {
  const Statements first = {"CREATE USER u@localhost IDENTIFIED BY 'one'"};
  const StateSummary once = left_by(first);
  EXPECT_THAT(differences(once, left_by(first)), IsEmpty());
  EXPECT_THAT(differences(once, left_by({"CREATE USER u@localhost"})), Contains("accounts"));
}

// Behind its back: the row goes, and what is enforced stays.
TEST_P(AccountsTest, ARightThatIsEnforcedThoughTheTablesDoNotSayItIsCaught) {
  left_by({kRights[0], kRights[2]});
  EXPECT_THAT(taken("reloaded-grants").elements, IsEmpty());
  run({"DELETE FROM mysql.db WHERE User = 'u'"});
  const Component bad = taken("reloaded-grants");
  ASSERT_EQ(bad.elements.size(), 1U);
  EXPECT_EQ(bad.elements[0].key, "'u'@'localhost', only enforced");
  EXPECT_THAT(bad.elements[0].value, HasSubstr("INSERT"));
}

class DictionaryTest : public StateTest {};

TEST_P(DictionaryTest, ATableThatOnlyInnodbKnowsAndOneWithoutItsFileAreCaught) {
  const Statements setup = {"CREATE TABLE t (a INT) ENGINE=InnoDB",
                            "CREATE TABLE u (a INT, b TEXT, FULLTEXT KEY (b)) ENGINE=InnoDB",
                            "CREATE TABLE `odd-name` (a INT) ENGINE=InnoDB PARTITION BY HASH(a) "
                            "PARTITIONS 2"};
  const Component good = after(setup, {}, "dictionary");
  EXPECT_THAT(good.elements, IsEmpty());
  EXPECT_TRUE(same(good, after(setup,
                               {"RENAME TABLE t TO s", "OPTIMIZE TABLE u", "TRUNCATE s",
                                "DROP TABLE `odd-name`"},
                               "dictionary")));
  start(setup);
  run({"FLUSH TABLES"});
  std::filesystem::rename(data() / "u.ibd", data() / "away");
  EXPECT_THAT(taken("dictionary").elements, ElementsAre(Element{"u", "its file is gone"}));
  std::filesystem::rename(data() / "away", data() / "u.ibd");
  if (!std::filesystem::exists(data() / "t.frm")) return;  // there is one dictionary only
  std::filesystem::rename(data() / "t.frm", data() / "away");
  EXPECT_THAT(taken("dictionary").elements, ElementsAre(Element{"t", "only InnoDB knows it"}));
  std::filesystem::rename(data() / "away", data() / "t.frm");
}

INSTANTIATE_TEST_SUITE_P(Servers, ComponentsTest, testing::ValuesIn(kRealServers), test_name);
INSTANTIATE_TEST_SUITE_P(Servers, MariadbComponentsTest, testing::Values(kRealServers[0]),
                         test_name);
INSTANTIATE_TEST_SUITE_P(Servers, AccountsTest, testing::ValuesIn(kRealServers), test_name);
INSTANTIATE_TEST_SUITE_P(Servers, DictionaryTest, testing::ValuesIn(kRealServers), test_name);

}  // namespace
}  // namespace esox
