// SPDX-License-Identifier: Apache-2.0
// Cutting files of SQL: where statements begin and end, and what is refused.
#include "targets/sql/import/sql_script.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "base/text/input_error.h"

namespace esox {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Pair;

std::vector<std::string> texts(const std::string& sql) {
  std::vector<std::string> all;
  for (const ScriptRequest& one : read_sql_script(sql, "f.sql").requests) {
    all.push_back(one.text);
  }
  return all;
}

std::string message_of(const std::string& sql) {
  try {
    read_sql_script(sql, "f.sql");
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST(SqlScript, CutsAtTheDelimiterAndAtTheEnd) {
  EXPECT_THAT(texts("SELECT 1;SELECT\n 2 ;; ;\n SELECT 3"),
              ElementsAre("SELECT 1", "SELECT\n 2", "SELECT 3"));
  EXPECT_THAT(texts(""), IsEmpty());
  EXPECT_THAT(texts("\xef\xbb\xbfSELECT 1;"), ElementsAre("SELECT 1"));
}

TEST(SqlScript, DelimitersInTextsNamesAndCommentsDoNotCut) {
  for (const std::string one : {
           R"(SELECT 'a;b', "c;d", `e;f`)",
           R"(SELECT 'it''s;', "say "";""", '\';')",
           "SELECT `a\\`",  // no escape in a name
           "SELECT 1 /* ; ' */ + 1",
           "SELECT 1 -- ; it's\n + 1",
           "SELECT 1 # ;\n + 1",
           "SELECT 1--1",
           "/*!50003 CREATE*/ /*!50003 TRIGGER t BEFORE INSERT ON u FOR EACH ROW SET @a = 1; */",
       }) {
    EXPECT_THAT(texts(one + ";\nSELECT 2;"), ElementsAre(one, "SELECT 2"));
  }
}

TEST(SqlScript, CommentsAroundAStatementAreLeftOut) {
  EXPECT_THAT(texts("-- one\n/* two */ SELECT 1 /* three */ -- four\n;\n# five\n"),
              ElementsAre("SELECT 1"));
}

TEST(SqlScript, DelimiterTakesOtherEnds) {
  EXPECT_THAT(texts("DELIMITER //\nBEGIN NOT ATOMIC\nSELECT 1; END//\ndelimiter $$\nSELECT 2$$\n"
                    "DELIMITER ;\nSELECT 3;"),
              ElementsAre("BEGIN NOT ATOMIC\nSELECT 1; END", "SELECT 2", "SELECT 3"));
  EXPECT_THAT(texts("SELECT 1\nDELIMITER ;;\nSELECT 2;;"), ElementsAre("SELECT 1", "SELECT 2"));
  EXPECT_THAT(texts("SELECT delimiter;\nSELECT '\nDELIMITER //\n';"),
              ElementsAre("SELECT delimiter", "SELECT '\nDELIMITER //\n'"));
}

TEST(SqlScript, KnowsTheClientsOtherWays) {
  EXPECT_THAT(texts("USE shop\nSELECT 1\\G\nSELECT 2\\g SELECT 3"),
              ElementsAre("USE shop", "SELECT 1", "SELECT 2", "SELECT 3"));
}

TEST(SqlScript, CountsLinesThatAreNotForTheServer) {
  const ImportScript script = read_sql_script(
      "source other.sql\n--error 1062\nINSERT INTO t VALUES (1);\n--echo x; y\n/*!*/;", "f.sql");
  ASSERT_EQ(script.requests.size(), 1u);
  EXPECT_EQ(script.requests[0].line, 3);
  EXPECT_THAT(script.left_out, ElementsAre(Pair("a command of the client (SOURCE)", 1),
                                           Pair("a line for mysqltest", 2),
                                           Pair("nothing to be run between two delimiters", 1)));
}

TEST(SqlScript, MarksTellSetupFromRequests) {
  const ImportScript script = read_sql_script(
      "-- esox: setup\nCREATE TABLE t (a INT);\n#esox:requests\nSELECT a FROM t;", "f.sql");
  ASSERT_EQ(script.requests.size(), 2u);
  EXPECT_EQ(script.requests[0].part, FilePart::kSetup);
  EXPECT_EQ(script.requests[1].part, FilePart::kRequests);
}

TEST(SqlScript, TellsWhatIsWrongAndWhere) {
  EXPECT_THAT(message_of("SELECT 1;\nSELECT 'a;\nb"),
              HasSubstr("f.sql:2: a text that begins here"));
  EXPECT_THAT(message_of("SELECT 'a\\"), HasSubstr("f.sql:1: a text that begins here"));
  EXPECT_THAT(message_of("\n/* x"), HasSubstr("f.sql:2: a comment that begins here never ends"));
  EXPECT_THAT(message_of("\n/*! SELECT 1;\n"), HasSubstr("f.sql:2: an executable comment"));
  EXPECT_THAT(message_of("a\n\xff"), HasSubstr("f.sql:2: byte 0xff is not UTF-8"));
  EXPECT_THAT(message_of(std::string("a\n\0", 3)), HasSubstr("f.sql:2: byte 0x00 is not UTF-8"));
  EXPECT_THAT(message_of("DELIMITER \\\n"), HasSubstr("f.sql:1: a delimiter cannot be"));
  EXPECT_THAT(message_of("\n-- esox: stup\n"), HasSubstr("f.sql:2: unknown mark 'esox: stup'"));
  EXPECT_THAT(message_of("SELECT 1;\n-- esox: setup\n"), HasSubstr("f.sql:2: a setup after"));
  std::string many;
  for (size_t i = 0; i <= kMaxScriptRequests; ++i) many += "SELECT 1;\n";
  EXPECT_THAT(message_of(many), HasSubstr("f.sql:10001: more than 10000 statements"));
  EXPECT_THAT(message_of(std::string(kMaxScriptBytes + 1, 'x')), HasSubstr("larger than 64 MB"));
}

}  // namespace
}  // namespace esox
