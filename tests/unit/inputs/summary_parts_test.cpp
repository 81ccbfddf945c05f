// SPDX-License-Identifier: Apache-2.0
// Which parts of the state an input has summarised.
#include "inputs/summary_parts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/text/input_error.h"
#include "inputs/reader.h"
#include "inputs/writer.h"
#include "targets/mariadb/language.h"
#include "tests/unit/servers.h"

namespace esox {
namespace {

using testing::HasSubstr;

Input input(const std::string& summary, const std::string& statement = "SELECT 1") {
  Input one;
  one.language = &mariadb_language();
  one.summary = summary;
  one.clients = {InputClient{"A", {}, {Request{statement, false}}}};
  return one;
}

TEST(SummaryParts, AChoiceIsAWordOrAList) {
  for (const char* good : {"", "auto", "all", "basic", "files", "indexes,answers"}) {
    EXPECT_EQ(summary_complaint(good, mariadb_language()), "") << good;
  }
  EXPECT_THAT(summary_complaint("indexs", mariadb_language()), HasSubstr("indexes"));
  for (const char* bad : {",", "files,", "all,files", "Files"}) {
    EXPECT_NE(summary_complaint(bad, mariadb_language()), "") << bad;
  }
}

TEST(SummaryParts, AreThoseChosen) {
  EXPECT_TRUE(has_summary_part(input("all"), "programs"));
  EXPECT_FALSE(has_summary_part(input("basic"), "indexes"));
  EXPECT_TRUE(has_summary_part(input("files,indexes"), "indexes"));
  EXPECT_FALSE(has_summary_part(input("files,indexes"), "answers"));
}

TEST(SummaryParts, ByThemselvesAreAllThatTheStatementsCanTouch) {
  EXPECT_TRUE(has_summary_part(input(""), "files"));
  EXPECT_FALSE(has_summary_part(input(""), "programs"));
  EXPECT_TRUE(has_summary_part(input("", "create Trigger x"), "programs"));
  Input one = input("auto");
  one.setup = {"CREATE PROCEDURE p() SELECT 1"};
  EXPECT_TRUE(has_summary_part(one, "programs"));
}

TEST(SummaryParts, ByThemselvesLookAtAccountsAndAtInnodbsDictionaryIfRequestsCanChangeThem) {
  for (const char* statement : {"GRANT SELECT ON t TO u", "drop user u", "SET PASSWORD = ''",
                                "DELETE FROM mysql.db", "FLUSH PRIVILEGES"}) {
    EXPECT_TRUE(has_summary_part(input("", statement), "accounts")) << statement;
  }
  EXPECT_FALSE(has_summary_part(input("", "INSERT INTO t VALUES (1)"), "accounts"));
  EXPECT_TRUE(has_summary_part(input("", "DROP TABLE t"), "dictionary"));
  Input one = input("auto", "INSERT INTO t VALUES (1)");
  one.setup = {"CREATE TABLE t (a INT)"};
  EXPECT_FALSE(has_summary_part(one, "dictionary"));
}

TEST(SummaryParts, ByThemselvesFollowTheEnginesThatTheInputSpeaksOf) {
  for (const char* part : {"transactions", "key-blocks"}) {
    EXPECT_FALSE(has_summary_part(input("", "CREATE TABLE t (a INT) ENGINE=Aria"), part)) << part;
    EXPECT_TRUE(has_summary_part(input("all", "SELECT 1"), part)) << part;
  }
  for (const char* statement : {"CREATE TABLE t (a INT) ENGINE=InnoDB", "CREATE TABLE t (a INT)",
                                "START TRANSACTION", "begin", "XA START 'x'"}) {
    EXPECT_TRUE(has_summary_part(input("", statement), "transactions")) << statement;
  }
  EXPECT_TRUE(has_summary_part(input("", "ALTER TABLE t ENGINE=MyISAM"), "key-blocks"));
  Input one = input("auto");
  one.server_options = {"--default-storage-engine=MyISAM"};
  EXPECT_TRUE(has_summary_part(one, "key-blocks"));
}

TEST(SummaryParts, ByThemselvesLeaveOutTheEnginesOfTablesThatNoStatementTouches) {
  Input one = input("auto", "INSERT INTO t1 VALUES (1)");
  one.setup = {"CREATE TABLE t1 (a INT) ENGINE=Aria",
               "CREATE TABLE IF NOT EXISTS t2 (a INT) ENGINE=InnoDB",
               "CREATE TABLE t3 (a INT) ENGINE=MyISAM"};
  EXPECT_FALSE(has_summary_part(one, "transactions"));
  EXPECT_FALSE(has_summary_part(one, "key-blocks"));
  one.clients[0].requests.push_back({"SELECT * FROM t2", false});
  EXPECT_TRUE(has_summary_part(one, "transactions"));
  EXPECT_FALSE(has_summary_part(one, "key-blocks"));
  one.setup.emplace_back("RENAME TABLE t3 TO t4");
  EXPECT_TRUE(has_summary_part(one, "key-blocks"));
  for (const char* name : {"`odd name`", "`t9`", "test.t1"}) {
    one.setup = {std::string("CREATE TABLE ") + name + " (a INT) ENGINE=MyISAM"};
    EXPECT_TRUE(has_summary_part(one, "key-blocks")) << name;
  }
  one.setup = {"CREATE TABLE t9 (a INT) ENGINE=Aria; CREATE TABLE t1 (a INT) ENGINE=MyISAM"};
  EXPECT_TRUE(has_summary_part(one, "key-blocks"));
}

TEST(SummaryParts, AreReadFromAnInputAndWrittenBack) {
  const std::string yaml = "id: x\nsummary: files,indexes\nclients: [{requests: [SELECT 1]}]\n";
  const Input one = parse_inputs(yaml, "x.yaml", languages())[0];
  EXPECT_EQ(one.summary, "files,indexes");
  EXPECT_EQ(parse_inputs(to_yaml(one), "y.yaml", languages())[0].summary, one.summary);
}

TEST(SummaryParts, AMistakeIsAnErrorWithItsLine) {
  try {
    parse_inputs("id: x\nsummary: fils\nclients: [{requests: [SELECT 1]}]\n", "x.yaml",
                 languages());
    FAIL();
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), testing::AllOf(HasSubstr("x.yaml:2"), HasSubstr("files")));
  }
  EXPECT_THROW(
      parse_inputs("id: x\nserver: memcached\nsummary: all\nclients: [{requests: [\"get a\"]}]\n",
                   "x", languages()),
      InputError);
}

}  // namespace
}  // namespace esox
