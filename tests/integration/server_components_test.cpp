// SPDX-License-Identifier: Apache-2.0
// What sessions and races leave behind beside data, on a real server: indexes, files, locks,
// transactions, programs. For each component a seeded fault that it must catch and a harmless
// difference that it must not.
#include <cstdlib>
#include <fstream>
#include <set>

#include "targets/mysqld/state/interface.h"
#include "tests/integration/server_fixture.h"

namespace esox {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

using Statements = std::vector<std::string>;

class MariadbComponentsTest : public ServerTest {
 protected:
  void start(const Statements& setup, const Statements& options = {}) {
    source_.reset();
    running_.reset();
    boot(options);
    own_ = connected();
    client_ = connected();
    own_->run_setup(setup);
    MysqldParts parts;
    parts.server_folder = [this] { return folder_.path(); };
    const QuestionedClient a{"A", asker(*client_), {}, client_->connection_id()};
    source_ = std::make_unique<MysqldInterface>(asker(*own_), std::vector<QuestionedClient>{a},
                                                Statements{}, parts);
    source_->begin();
  }

  void run(const Statements& statements) {
    for (const std::string& statement : statements) ask(*client_, statement);
  }

  Component taken(const std::string& name) {
    const StateSummary summary = make_summary(source_->take());
    const Component* component = summary.find(name);
    return component != nullptr ? *component : Component{};
  }

  Component after(const Statements& setup, const Statements& history, const std::string& name) {
    start(setup);
    run(history);
    Component component = taken(name);
    EXPECT_EQ(component.name, name);
    EXPECT_EQ(component.unavailable, "");
    return component;
  }

  std::filesystem::path data() const { return folder_.path() / "data" / "test"; }

  void write_at(const std::string& file, std::streamoff offset, const std::string& bytes) {
    std::fstream stream(data() / file, std::ios::in | std::ios::out | std::ios::binary);
    stream.seekp(offset);
    stream << bytes;
    ASSERT_TRUE(stream.good());
  }

  static Ask asker(Client& client) {
    return [&client](const std::string& text) { return client.run(Request{text, false}); };
  }

  std::unique_ptr<MysqlClient> own_;
  std::unique_ptr<MysqlClient> client_;
  std::unique_ptr<MysqldInterface> source_;
};

// The promise that the comparison stands on: the optimizer answers from the index alone.
TEST_F(MariadbComponentsTest, AnIndexScanReadsTheIndexOnEachEngine) {
  for (const char* engine : {"Aria", "MyISAM", "InnoDB"}) {
    start({std::string("CREATE TABLE t (a INT, b VARCHAR(9) NOT NULL, c DECIMAL(5,2), PRIMARY KEY "
                       "(b), KEY k (a, c DESC), UNIQUE KEY u (c)) ENGINE=") +
               engine,
           "INSERT INTO t VALUES (1,'x',1.5),(2,'y',NULL),(NULL,'z',-3)"});
    const std::string create = *ask(*own_, "SHOW CREATE TABLE t").results[0].rows[0][1];
    const std::vector<Index> indexes = readable_indexes(create);
    EXPECT_EQ(indexes.size(), engine == std::string("InnoDB") ? 2U : 3U) << create;
    for (const Index& index : indexes) {
      const Output plan = ask(*own_, "EXPLAIN " + scan_of("`test`.`t`", index));
      ASSERT_EQ(plan.results.size(), 1U);
      const Row& row = plan.results[0].rows[0];
      EXPECT_EQ(row[3], Cell("index")) << engine << " " << index.name;
      EXPECT_EQ(row[5], Cell(index.name));
      EXPECT_THAT(row[9].value_or(""), HasSubstr("Using index"));
      EXPECT_EQ(taken("index:test.t." + index.name).count, 0U) << engine << " " << index.name;
    }
  }
}

TEST_F(MariadbComponentsTest, IndexesOfPartitionsAgreeToo) {
  EXPECT_EQ(
      after({"CREATE TABLE t (a INT, KEY k (a)) ENGINE=Aria PARTITION BY HASH(a) PARTITIONS 3",
             "INSERT INTO t VALUES (1),(2),(3),(4)"},
            {"UPDATE t SET a = a + 1"}, "index:test.t.k")
          .count,
      0U);
}

TEST_F(MariadbComponentsTest, RowsTakenInAnotherOrderLeaveTheSameIndex) {
  const Statements setup = {"CREATE TABLE t (a INT, KEY k (a)) ENGINE=MyISAM"};
  const Component forward =
      after(setup, {"INSERT INTO t VALUES (1)", "INSERT INTO t VALUES (2)"}, "index:test.t.k");
  EXPECT_TRUE(same(forward, after(setup, {"INSERT INTO t VALUES (2)", "INSERT INTO t VALUES (1)"},
                                  "index:test.t.k")));
}

// The row is changed in the file of data, behind the back of the index.
TEST_F(MariadbComponentsTest, ARowThatItsIndexDoesNotKnowIsShownFromBothSides) {
  start({"CREATE TABLE t (a INT, KEY k (a)) ENGINE=MyISAM ROW_FORMAT=FIXED",
         "INSERT INTO t VALUES (1),(2)", "FLUSH TABLES"});
  write_at("t.MYD", 1, "\x07");  // after the byte of flags
  EXPECT_THAT(taken("index:test.t.k").elements,
              testing::UnorderedElementsAre(Element{"only in the table scan", "('7')"},
                                            Element{"only in the index k", "('1')"}));
}

TEST_F(MariadbComponentsTest, FilesOfNoTableShowAndThoseOfDroppedTablesAreGone) {
  const Statements setup = {"CREATE TABLE t (a INT, FULLTEXT KEY (b), b TEXT) ENGINE=InnoDB",
                            "CREATE TABLE `odd-name` (a INT) ENGINE=Aria"};
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

TEST_F(MariadbComponentsTest, ATemporaryTableThatASessionKeepsShows) {
  EXPECT_THAT(after({}, {"CREATE TEMPORARY TABLE mine (a INT) ENGINE=MyISAM"}, "files").elements,
              Contains(testing::Field(&Element::key, "tmp")));
  EXPECT_EQ(after({}, {"CREATE TEMPORARY TABLE mine (a INT)", "DROP TABLE mine"}, "files").count,
            0U);
}

TEST_F(MariadbComponentsTest, AnOpenTransactionShowsWithWhatItChanged) {
  const Statements setup = {"CREATE TABLE t (a INT) ENGINE=InnoDB"};
  const Component open = after(setup, {"BEGIN", "INSERT INTO t VALUES (1),(2)"}, "transactions");
  EXPECT_THAT(open.elements,
              ElementsAre(Element{"A", "RUNNING, REPEATABLE READ, rows modified: 2"}));
  EXPECT_EQ(after(setup, {"BEGIN", "INSERT INTO t VALUES (1),(2)", "COMMIT"}, "transactions").count,
            0U);
}

TEST_F(MariadbComponentsTest, ATableThatASessionKeepsInUseShowsAndOpenOnesDoNot) {
  const Statements setup = {"CREATE TABLE t (a INT) ENGINE=Aria", "CREATE TABLE u (a INT)"};
  EXPECT_THAT(after(setup, {"HANDLER t OPEN"}, "open-tables").elements,
              ElementsAre(Element{"t", "in use 1 times"}));
  const Component opened = after(setup, {"SELECT * FROM t"}, "open-tables");
  EXPECT_THAT(opened.elements, IsEmpty());
  EXPECT_TRUE(same(opened, after(setup, {"FLUSH TABLES"}, "open-tables")));
  EXPECT_TRUE(same(opened, after(setup, {"SELECT * FROM u", "DROP TABLE u"}, "open-tables")));
}

TEST_F(MariadbComponentsTest, KeyBlocksThatWaitToBeWrittenShow) {
  const std::string table = "CREATE TABLE t (a INT, KEY (a)) ENGINE=MyISAM";
  EXPECT_THAT(
      after({table + " DELAY_KEY_WRITE=1"}, {"INSERT INTO t VALUES (1)"}, "key-blocks").elements,
      ElementsAre(Element{"default", "some not written"}));
  EXPECT_THAT(after({table}, {"INSERT INTO t VALUES (1)"}, "key-blocks").elements,
              ElementsAre(Element{"default", "all written"}));
}

TEST_F(MariadbComponentsTest, ProgramsShowByWhatTheyDo) {
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
TEST_F(MariadbComponentsTest, ATriggerThatLostItsFileIsMissed) {
  const Statements setup = {"CREATE TABLE t (a INT)"};
  const std::string g = "CREATE TRIGGER g BEFORE INSERT ON t FOR EACH ROW SET @g = 1";
  const std::string h = "CREATE TRIGGER h AFTER INSERT ON t FOR EACH ROW SET @h = 1";
  const Component both = after(setup, {g, h}, "triggers");
  EXPECT_EQ(both.count, 2U);
  EXPECT_TRUE(same(both, after(setup, {h, g}, "triggers")));
  run({"FLUSH TABLES"});
  std::filesystem::remove(data() / "t.TRG");
  EXPECT_FALSE(same(both, taken("triggers")));
  EXPECT_EQ(taken("triggers").count, 0U);
}

TEST_F(MariadbComponentsTest, TheOrderInWhichTriggersOfOneOccasionRunShows) {
  const Statements setup = {"CREATE TABLE t (a INT)"};
  const std::string g = "CREATE TRIGGER g BEFORE INSERT ON t FOR EACH ROW SET @x = 1";
  const std::string h = "CREATE TRIGGER h BEFORE INSERT ON t FOR EACH ROW SET @x = 2";
  EXPECT_THAT(after(setup, {h, g}, "triggers").elements,
              testing::UnorderedElementsAre(Element{"h", "BEFORE INSERT ON t: SET @x = 2"},
                                            Element{"g",
                                                    "BEFORE INSERT ON t, number 2: SET @x = "
                                                    "1"}));
  EXPECT_FALSE(same(after(setup, {g, h}, "triggers"), after(setup, {h, g}, "triggers")));
}

TEST_F(MariadbComponentsTest, ARoutineWithAnotherBodyInTheServersTableIsCaught) {
  const std::string p = "CREATE PROCEDURE p(IN a INT) SELECT 1";
  const std::string f = "CREATE FUNCTION f() RETURNS INT DETERMINISTIC RETURN 1";
  const Component good = after({}, {p, f}, "routines");
  EXPECT_TRUE(same(good, after({}, {f, p}, "routines")));
  run({"UPDATE mysql.proc SET body = 'SELECT 2' WHERE db = 'test' AND name = 'p'"});
  const Component bad = taken("routines");
  EXPECT_FALSE(same(good, bad));
  EXPECT_THAT(bad.elements, Contains(testing::Field(&Element::value, HasSubstr("SELECT 2"))));
  run({"DELETE FROM mysql.proc WHERE db = 'test' AND name = 'f'"});
  EXPECT_EQ(taken("routines").count, 1U);
}

TEST_F(MariadbComponentsTest, AnEventThatIsEnabledInTheServersTableAloneIsCaught) {
  const Statements setup = {"CREATE TABLE t (a INT)"};
  const std::string e = "CREATE EVENT e ON SCHEDULE EVERY 1 HOUR DISABLE DO DELETE FROM t";
  const std::string d = "CREATE EVENT d ON SCHEDULE EVERY 2 DAY DO DELETE FROM t";
  const Component good = after(setup, {e, d}, "events");
  EXPECT_EQ(good.count, 2U);
  EXPECT_TRUE(same(good, after(setup, {d, e}, "events")));
  run({"UPDATE mysql.event SET status = 'ENABLED' WHERE db = 'test' AND name = 'e'"});
  EXPECT_FALSE(same(good, taken("events")));
}

// The table's files go while it is open, as a DROP TABLE does that forgets the cache.
TEST_F(MariadbComponentsTest, ATableThatIsOpenThoughThereIsNoneShows) {
  start({"CREATE TABLE ghost (a INT) ENGINE=MyISAM", "CREATE TABLE t (a INT) ENGINE=MyISAM"});
  run({"SELECT * FROM ghost", "SELECT * FROM t"});
  EXPECT_THAT(taken("open-tables").elements, IsEmpty());
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
TEST_F(MariadbComponentsTest, EveryEntryOfTheQueryCacheIsHeldAgainstTheTables) {
  start({"CREATE TABLE t (a INT) ENGINE=MyISAM ROW_FORMAT=FIXED", "INSERT INTO t VALUES (1)",
         "CREATE PROCEDURE p() SELECT a + 1 FROM t", "SELECT a + 2 FROM t", "FLUSH TABLES"},
        plugin("query_cache_info"));
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

TEST_F(MariadbComponentsTest, LocksOnNamesAndUserLocksThatAreKeptShow) {
  start({"CREATE TABLE t (a INT) ENGINE=Aria"}, plugin("metadata_lock_info"));
  if (taken("metadata-locks").name.empty()) GTEST_SKIP() << "no plugin metadata_lock_info here";
  run({"SELECT * FROM t", "DO GET_LOCK('mine', 1)", "DO RELEASE_LOCK('mine')"});
  EXPECT_THAT(taken("metadata-locks").elements, IsEmpty());
  run({"DO GET_LOCK('mine', 1)", "BEGIN", "SELECT * FROM t"});
  EXPECT_THAT(
      taken("metadata-locks").elements,
      testing::UnorderedElementsAre(
          testing::Field(&Element::value, HasSubstr("User lock on mine")),
          testing::Field(&Element::value, HasSubstr("MDL_SHARED_READ, Table metadata lock on "
                                                    "test.t"))));
}

}  // namespace
}  // namespace esox
