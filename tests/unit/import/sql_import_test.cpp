// SPDX-License-Identifier: Apache-2.0
// From files of SQL to inputs.
#include "targets/sql/import/sql_import.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "base/text/input_error.h"
#include "targets/mariadb/language.h"
#include "tests/unit/import/made_inputs.h"

namespace esox {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::IsSupersetOf;
using testing::Not;

bool has(const FilesImport& result, const std::string& requests) {
  return std::any_of(result.inputs.begin(), result.inputs.end(),
                     [&](const ImportedInput& one) { return requests_of(one.input) == requests; });
}

FilesImport import_files(const std::vector<ImportFile>& files) {
  return read_again(import_sql(files, {}, mariadb_language()));
}

const std::string kTable =
    "-- esox: setup\nCREATE TABLE t1 (a INT);\nINSERT INTO t1 VALUES (1);\n-- esox: requests\n";

TEST(SqlImport, OneFileIsCutIntoPairs) {
  const FilesImport result =
      import_files({{"x/shop.sql", kTable + "UPDATE t1 SET a = 2;\nSELECT a FROM t1;\n", false}});
  const Input pair = find(result, "UPDATE t1 SET a = 2; | SELECT a FROM t1;");
  EXPECT_THAT(pair.setup, ElementsAre("CREATE TABLE t1 (a INT)", "INSERT INTO t1 VALUES (1)"));
  EXPECT_EQ(pair.title, "shop, lines 5 | 6");
  EXPECT_THAT(pair.id, HasSubstr("sql/shop/"));
  EXPECT_THAT(pair.engines, ElementsAre("Aria", "InnoDB", "MyISAM"));
  for (const ImportedInput& one : result.inputs) {
    EXPECT_THAT(requests_of(one.input), Not(HasSubstr("INSERT"))) << "a setup became a request";
  }
}

TEST(SqlImport, TablesOfAnEngineThatIsSetAreNotOfEach) {
  const FilesImport result = import_files(
      {{"x/shop.sql",
        "-- esox: setup\nSET SESSION default_storage_engine = MyISAM;\n" +
            kTable.substr(kTable.find("CREATE")) + "UPDATE t1 SET a = 2;\nSELECT a FROM t1;\n",
        false}});
  const Input pair = find(result, "UPDATE t1 SET a = 2; | SELECT a FROM t1;");
  EXPECT_THAT(pair.engines, IsEmpty());
  EXPECT_THAT(pair.server_options, IsEmpty());
}

TEST(SqlImport, TheSameFilesGiveTheSameInputs) {
  const std::vector<ImportFile> files = {
      {"a.sql", kTable + "UPDATE t1 SET a = 2;\nSELECT a FROM t1;\n", false},
      {"b.sql", "DELETE FROM t1;SELECT COUNT(*) FROM t1", false}};
  const FilesImport one = import_files(files);
  const FilesImport two = import_files(files);
  ASSERT_EQ(one.inputs.size(), two.inputs.size());
  for (size_t i = 0; i < one.inputs.size(); ++i) {
    EXPECT_EQ(one.inputs[i].input, two.inputs[i].input);
  }
}

TEST(SqlImport, SeveralFilesAreSessionsAtTheSameTime) {
  const FilesImport result = import_files(
      {{"a.sql", kTable + "INSERT INTO t1 VALUES (2);\nSELECT a FROM t1;\n", false},
       {"b.sql", "DELETE FROM t1;\nSELECT 1;\nSELECT NOW();\nSELECT COUNT(*) FROM t1;", false}});
  const Input whole = find(result,
                           "INSERT INTO t1 VALUES (2);SELECT a FROM t1; | "
                           "DELETE FROM t1;SELECT 1;SELECT COUNT(*) FROM t1;");
  EXPECT_EQ(whole.title, "a, lines 5 6 | b, lines 1 2 4");
  EXPECT_THAT(whole.setup, ElementsAre("CREATE TABLE t1 (a INT)", "INSERT INTO t1 VALUES (1)"));
  // What the two did before is setup, but not what they did later.
  EXPECT_THAT(find(result, "INSERT INTO t1 VALUES (2); | DELETE FROM t1;").setup.size(), 2u);
  EXPECT_THAT(find(result, "SELECT a FROM t1; | DELETE FROM t1;").setup,
              ElementsAre("CREATE TABLE t1 (a INT)", "INSERT INTO t1 VALUES (1)",
                          "INSERT INTO t1 VALUES (2)"));
  EXPECT_THAT(
      find(result, "INSERT INTO t1 VALUES (2); | SELECT COUNT(*) FROM t1;").setup,
      ElementsAre("CREATE TABLE t1 (a INT)", "INSERT INTO t1 VALUES (1)", "DELETE FROM t1"));
  EXPECT_FALSE(has(result, "SELECT a FROM t1; | SELECT COUNT(*) FROM t1;")) << "nobody writes";
  EXPECT_EQ(result.counts.rejected.at("statement: its answer changes by itself"), 1u);
}

TEST(SqlImport, EachClientHasItsSessionsSettings) {
  const FilesImport result = import_files(
      {{"a.sql", kTable + "UPDATE t1 SET a = 2;", false},
       {"b.sql",
        "-- esox: setup\nSET sql_mode = '', @n = 3;\n-- esox: requests\nSELECT @n, a FROM t1;",
        false}});
  for (const ImportedInput& one : result.inputs) {
    EXPECT_THAT(one.input.clients[0].setup, IsEmpty());
    EXPECT_THAT(one.input.clients[1].setup, ElementsAre("SET sql_mode = '', @n = 3"));
  }
  EXPECT_EQ(result.inputs.size(), 1u) << "the pair is the whole";
}

TEST(SqlImport, SetupFilesHoldForEveryClient) {
  const FilesImport result = import_files(
      {{"dump.sql",
        "CREATE DATABASE shop; USE shop;\nSET @old = @@sql_mode, sql_mode = '';\n"
        "CREATE TABLE t1 (a INT) ENGINE=InnoDB;\nINSERT INTO t1 VALUES (1);\n"
        "SET sql_mode = @old;",
        true},
       {"a.sql", "UPDATE t1 SET a = 2", false},
       {"b.sql",
        "BEGIN;\nDELETE FROM t1;\nCOMMIT;\nBEGIN;\nDELETE FROM t1 WHERE a = 3;\nROLLBACK;\n"
        "SELECT a FROM t1;",
        false}});
  const Input pair = find(result, "UPDATE t1 SET a = 2; | SELECT a FROM t1;");
  EXPECT_THAT(pair.setup, IsSupersetOf({"USE shop", "CREATE TABLE t1 (a INT) ENGINE=InnoDB",
                                        "DELETE FROM t1"}));
  EXPECT_THAT(pair.setup, Not(Contains("DELETE FROM t1 WHERE a = 3"))) << "it was rolled back";
  for (const InputClient& client : pair.clients) {
    EXPECT_THAT(client.setup, ElementsAre("USE shop", "SET @old = @@sql_mode, sql_mode = ''",
                                          "SET sql_mode = @old"));
  }
}

// Without them, what a trigger writes would not be made, and who uses a view be no partner.
TEST(SqlImport, FollowsTriggersViewsRoutinesAndForeignKeys) {
  const std::string setup =
      "-- esox: setup\nCREATE TABLE t1 (a INT PRIMARY KEY);\nCREATE TABLE t2 (a INT);\n"
      "CREATE TABLE t3 (a INT, FOREIGN KEY (a) REFERENCES t1 (a));\n"
      "DELIMITER //\nCREATE TRIGGER tr AFTER INSERT ON t1 FOR EACH ROW BEGIN SET @x = 1; INSERT "
      "INTO "
      "t2 VALUES (1); END//\nCREATE PROCEDURE p1() BEGIN SELECT 1; DELETE FROM t2; END//\n"
      "DELIMITER ;\nCREATE VIEW v1 AS SELECT a FROM t2;\n-- esox: requests\n";
  const FilesImport result =
      import_files({{"a.sql", setup + "INSERT INTO t1 VALUES (1);", false},
                    {"b.sql", "CALL p1();SELECT a FROM v1;DELETE FROM t3;", false}});
  const Input trigger = find(result, "INSERT INTO t1 VALUES (1); | SELECT a FROM v1;");
  EXPECT_THAT(trigger.setup, Contains("CREATE TABLE t2 (a INT)"));
  EXPECT_TRUE(has(result, "INSERT INTO t1 VALUES (1); | CALL p1();"));
  EXPECT_TRUE(has(result, "INSERT INTO t1 VALUES (1); | DELETE FROM t3;"));
}

TEST(SqlImport, AnInsertOnlyReadsWhatItSelectsFrom) {
  const FilesImport result =
      import_files({{"a.sql",
                     "-- esox: setup\nCREATE TABLE t1 (a INT);CREATE TABLE t2 (a INT);\n"
                     "-- esox: requests\nINSERT INTO t1 SELECT a FROM t2;",
                     false},
                    {"b.sql", "SELECT a FROM t2;DELETE FROM t2;", false}});
  EXPECT_FALSE(has(result, "INSERT INTO t1 SELECT a FROM t2; | SELECT a FROM t2;"));
  EXPECT_TRUE(has(result, "INSERT INTO t1 SELECT a FROM t2; | DELETE FROM t2;"));
}

TEST(SqlImport, LongStatementsAreCountedAndNothingIsMadeOfThem) {
  const std::string literal(size_t{16} << 20, 'x');
  std::string values = "INSERT INTO t1 VALUES (0)";
  while (values.size() < size_t{16} << 20) values += ",(1),(2),(3),(4),(5),(6),(7),(8),(9)";
  const FilesImport result = import_files(
      {{"a.sql", kTable + "SELECT '" + literal + "';\nSELECT a FROM t1;" + values + ";", false},
       {"b.sql", "UPDATE t1 SET a = 4;", false}});
  EXPECT_EQ(result.counts.rejected.at("statement: longer than a statement may be"), 2u);
  EXPECT_TRUE(has(result, "SELECT a FROM t1; | UPDATE t1 SET a = 4;"));
}

TEST(SqlImport, TellsWhatCannotBe) {
  const auto message = [](const std::vector<ImportFile>& files) -> std::string {
    try {
      import_sql(files, {}, mariadb_language());
    } catch (const InputError& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_THAT(message({}), HasSubstr("no file was named"));
  EXPECT_THAT(message({{"a.sql", "SELECT 1", true}}), HasSubstr("a.sql: no file has requests"));
  std::string many;
  for (size_t i = 0; i <= kMostSessionRequests; ++i) many += "SELECT 1;\n";
  EXPECT_EQ(message({{"a.sql", many, false}}), "");
  EXPECT_THAT(message({{"a.sql", many, false}, {"b.sql", "SELECT 1", false}}),
              HasSubstr("a.sql: has 257 requests"));
  EXPECT_THAT(message(std::vector<ImportFile>(65, {"a.sql", "SELECT 1", false})),
              HasSubstr("more than 64 files"));
}

TEST(FileNames, AreSafeAndDistinct) {
  FileNames names;
  EXPECT_EQ(names.name_for("dumps/my shop.v2.sql"), "my_shop_v2");
  EXPECT_EQ(names.name_for("my shop.v2.txt"), "my_shop_v2-2");
  EXPECT_EQ(names.name_for("-x.sql"), "file-x");
  EXPECT_EQ(names.name_for(".sql"), "file");
  EXPECT_EQ(names.name_for(std::string(500, 'a')), std::string(48, 'a'));
}

}  // namespace
}  // namespace esox
