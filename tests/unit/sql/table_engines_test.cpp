// SPDX-License-Identifier: Apache-2.0
// Engines of the tables that a request touches.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "inputs/input.h"
#include "targets/mariadb/language.h"

namespace esox {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

using Engines = std::vector<std::string>;
using TableStatements = std::vector<std::string>;

// Of A's request, beside B's.
Engines touched_by(const std::string& request, const TableStatements& setup,
                   const std::string& beside = "SELECT 1", const std::string& option = "") {
  Input input;
  input.language = &mariadb_language();
  input.setup = setup;
  input.clients = {{"A", {}, {{request, false}}}, {"B", {}, {{beside, false}}}};
  std::vector<std::string> options;
  if (!option.empty()) options.push_back(option);
  const RequestEngines engines = input.language->touched_engines(input, options);
  EXPECT_EQ(engines.size(), 2U);
  return engines[0][0];
}

const TableStatements kTwoEngines = {"CREATE TABLE t1 (a INT) ENGINE=MyISAM",
                                     "CREATE TABLE t2 (a INT) ENGINE=Aria"};

TableStatements two_engines_and(const std::string& statement) {
  TableStatements all = kTwoEngines;
  all.push_back(statement);
  return all;
}

TEST(TableEngines, AreThoseOfTheTablesThatARequestNames) {
  EXPECT_THAT(touched_by("ANALYZE TABLE t1", kTwoEngines), ElementsAre("MyISAM"));
  EXPECT_THAT(touched_by("ANALYZE TABLE `T2`", kTwoEngines), ElementsAre("Aria"));
  EXPECT_THAT(touched_by("CHECK TABLE t1, test.t2", kTwoEngines), ElementsAre("Aria", "MyISAM"));
  EXPECT_THAT(touched_by("SELECT 1", kTwoEngines), IsEmpty());
}

TEST(TableEngines, AreSpelledAsTheServerDoes) {
  EXPECT_THAT(
      touched_by("SELECT a FROM t1", {"create or replace table t1 (a int) engine = 'aria'"}),
      ElementsAre("Aria"));
  EXPECT_THAT(touched_by("SELECT a FROM t1", {"CREATE TABLE test.t1 (a INT) ENGINE spider"}),
              ElementsAre("spider"));
}

TEST(TableEngines, AreTheServersWhereNoneIsNamed) {
  const TableStatements setup = {"CREATE TABLE t1 (a INT)", "CREATE SEQUENCE s1"};
  EXPECT_THAT(touched_by("ANALYZE TABLE t1", setup), ElementsAre("InnoDB"));
  for (const char* option : {"--default-storage-engine=aria", "--default_storage_engine=Aria"}) {
    EXPECT_THAT(touched_by("ANALYZE TABLE t1", setup, "SELECT 1", option), ElementsAre("Aria"));
    EXPECT_THAT(touched_by("SELECT * FROM s1", setup, "SELECT 1", option), ElementsAre("Aria"));
  }
}

TEST(TableEngines, AreTheSessionsWhereItSetsADefault) {
  for (const char* set :
       {"SET SESSION DEFAULT_STORAGE_ENGINE = MyISAM", "set default_storage_engine='myisam'",
        "SET LOCAL storage_engine=MYISAM"}) {
    const TableStatements setup = {"CREATE TABLE t1 (a INT)", set, "CREATE TABLE t2 (a INT)"};
    EXPECT_THAT(touched_by("ANALYZE TABLE t1", setup), ElementsAre("InnoDB")) << set;
    EXPECT_THAT(touched_by("ANALYZE TABLE t2", setup), ElementsAre("MyISAM")) << set;
    EXPECT_THAT(touched_by("SELECT a FROM t3", setup, "CREATE TABLE t3 (a INT)"),
                ElementsAre("InnoDB"))
        << "of another session; " << set;
  }
  for (const char* set :
       {"SET GLOBAL default_storage_engine=MyISAM", "SET default_storage_engine=@engine",
        "SET storage_engine=DEFAULT", "SET a=1, storage_engine=MyISAM"}) {
    EXPECT_THAT(touched_by("ANALYZE TABLE t1", {set, "CREATE TABLE t1 (a INT)"}), IsEmpty()) << set;
  }
}

// As MariaDB's tests do it.
TEST(TableEngines, AreTheSessionsWhereItKeepsADefaultAndGivesItBack) {
  const TableStatements setup = {"SET @tmp=@@default_storage_engine",
                                 "SET default_storage_engine=Aria", "CREATE TABLE t1 (a INT)",
                                 "set default_storage_engine= @tmp", "CREATE TABLE t2 (a INT)"};
  EXPECT_THAT(touched_by("ANALYZE TABLE t1", setup), ElementsAre("Aria"));
  EXPECT_THAT(touched_by("ANALYZE TABLE t2", setup), ElementsAre("InnoDB"));
}

TEST(TableEngines, AreAllThatSomeClientMayGiveATable) {
  EXPECT_THAT(touched_by("ANALYZE TABLE t1", kTwoEngines, "ALTER TABLE t1 ENGINE=MEMORY"),
              ElementsAre("MEMORY", "MyISAM"));
  EXPECT_THAT(touched_by("ANALYZE TABLE t2", kTwoEngines, "ALTER TABLE t1 ENGINE=MEMORY"),
              ElementsAre("Aria"));
  EXPECT_THAT(touched_by("ANALYZE TABLE t1", kTwoEngines, "CREATE OR REPLACE TABLE t1 (a INT)"),
              ElementsAre("InnoDB", "MyISAM"));
  EXPECT_THAT(touched_by("ANALYZE TABLE t1", kTwoEngines, "CREATE TABLE t3 (a INT)"),
              ElementsAre("MyISAM"));
}

TEST(TableEngines, AreThoseOfWhatDefinitionsTieToThat) {
  const TableStatements ties = {
      "CREATE VIEW v1 AS SELECT a FROM t2",
      "CREATE FUNCTION v1() RETURNS INT RETURN (SELECT MAX(a) FROM t2)",
      "CREATE TABLE v1 LIKE t2",
      "CREATE TABLE v1 (LIKE t2)",
      "RENAME TABLE t2 TO v1",
      "ALTER TABLE t2 RENAME v1",
      "ALTER TABLE t2 RENAME TO v1",
      "ALTER TABLE t2 CONVERT PARTITION p0 TO TABLE v1",
  };
  for (const std::string& tie : ties) {
    EXPECT_THAT(touched_by("SELECT v1() FROM v1", two_engines_and(tie)), ElementsAre("Aria"))
        << tie;
    EXPECT_THAT(touched_by("SELECT a FROM v1", kTwoEngines, tie), ElementsAre("Aria")) << tie;
    EXPECT_THAT(touched_by("SELECT a FROM t1", kTwoEngines, tie), ElementsAre("MyISAM")) << tie;
  }
  for (const char* tie :
       {"CREATE TRIGGER r AFTER INSERT ON t1 FOR EACH ROW INSERT INTO t2 VALUES (1)",
        "ALTER TABLE t1 EXCHANGE PARTITION p0 WITH TABLE t2",
        "ALTER TABLE t1 ADD FOREIGN KEY (a) REFERENCES t2 (a)"}) {
    EXPECT_THAT(touched_by("INSERT INTO t1 VALUES (1)", two_engines_and(tie)),
                ElementsAre("Aria", "MyISAM"))
        << tie;
  }
}

TEST(TableEngines, OfOneTableAreNotTiedToAnothersByNamesOfParts) {
  for (const char* part :
       {"ALTER TABLE t2 RENAME COLUMN a TO b", "CREATE INDEX i ON t2 (a)",
        "ALTER TABLE t2 CONVERT TO CHARACTER SET utf8mb4", "ALTER TABLE t2 RENAME INDEX i TO j"}) {
    TableStatements setup = two_engines_and(part);
    setup.push_back("ALTER TABLE t1 ADD COLUMN b INT CHARACTER SET latin1, ADD INDEX i (b)");
    EXPECT_THAT(touched_by("ANALYZE TABLE t1", setup), ElementsAre("MyISAM")) << part;
  }
}

TEST(TableEngines, AreThoseOfAllTablesWhereARequestActsOnWhatItDoesNotName) {
  for (const char* request :
       {"SHOW TABLE STATUS LIKE 't1'", "CALL p()", "EXECUTE s", "FLUSH TABLES",
        "SELECT table_name FROM information_schema.tables", "SELECT a FROM t1; SELECT a FROM t2"}) {
    EXPECT_THAT(touched_by(request, kTwoEngines), ElementsAre("Aria", "MyISAM")) << request;
  }
}

TEST(TableEngines, AreUnknownWhereNobodyCanSay) {
  for (const char* other :
       {"EXECUTE IMMEDIATE 'CREATE TABLE t1 (a INT)'", "EXECUTE IMMEDIATE @a",
        "PREPARE s FROM CONCAT('CREATE ', 'TABLE t1 (a INT)')",
        "SET GLOBAL default_storage_engine=CSV", "SELECT 1; CREATE TABLE t1 (a INT) ENGINE=CSV",
        "CREATE PROCEDURE p() ALTER TABLE t1 ENGINE=CSV"}) {
    EXPECT_THAT(touched_by("ANALYZE TABLE t1", two_engines_and(other)), IsEmpty()) << other;
    EXPECT_THAT(touched_by("ANALYZE TABLE t1", kTwoEngines, other), IsEmpty()) << other;
  }
  for (const char* harmless : {"EXECUTE IMMEDIATE 'INSERT INTO t1 VALUES (1)'", "CALL p()",
                               "PREPARE s FROM 'SELECT a FROM t1'", "SHOW ENGINE InnoDB STATUS",
                               "CREATE PROCEDURE p() INSERT INTO t2 VALUES (1)"}) {
    EXPECT_THAT(touched_by("ANALYZE TABLE t1", kTwoEngines, harmless), ElementsAre("MyISAM"))
        << harmless;
  }
  // A name that can be written in several ways may be any.
  EXPECT_THAT(touched_by("ANALYZE TABLE t1", two_engines_and("CREATE TABLE `\xc3\xa4` (a INT)")),
              ElementsAre("InnoDB", "MyISAM"));
}

}  // namespace
}  // namespace esox
