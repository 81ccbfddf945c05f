// SPDX-License-Identifier: Apache-2.0
// From logs to inputs: what is cut, what is sliced, what is refused, and what stays the same.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "inputs/reader.h"
#include "inputs/writer.h"
#include "targets/mariadb/language.h"
#include "targets/sql/import/test_import.h"
#include "tests/unit/import/fixtures.h"
#include "tests/unit/servers.h"

namespace esox {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::Key;
using testing_import::kCreate;
using testing_import::kInsert;
using testing_import::kSelect;
using testing_import::log_of;
using testing_import::Told;

struct Result {
  std::vector<ImportedInput> inputs;
  ImportCounts counts;

  std::vector<Input> of(Candidate::Form form) const {
    std::vector<Input> found;
    for (const ImportedInput& one : inputs) {
      if (one.form == form) found.push_back(one.input);
    }
    return found;
  }
};

Result import_statements(const std::vector<Told>& statements) {
  Selection selection({});
  Result result;
  result.inputs = import_test(mariadb_language(), {"main/made_up", log_of(statements), {}},
                              selection, result.counts)
                      .inputs;
  return result;
}

TEST(Import, CutsAPairAndItsSetup) {
  const Result result = import_statements({kCreate, kInsert, kSelect});
  const auto pairs = result.of(Candidate::Form::kPair);
  ASSERT_EQ(pairs.size(), 2u);  // the insert against the select first: it creates no table
  EXPECT_THAT(pairs[0].setup, ElementsAre(kCreate.text));
  EXPECT_EQ(pairs[0].clients[0].requests[0].text, kInsert.text);
  EXPECT_EQ(pairs[0].clients[1].requests[0].text, kSelect.text);
  EXPECT_THAT(pairs[0].engines, ElementsAre("Aria", "InnoDB", "MyISAM"));
  EXPECT_THAT(pairs[1].setup, IsEmpty());
}

TEST(Import, TwoReadersAreNoPair) {
  const Result result = import_statements({kSelect, kSelect, kSelect});
  EXPECT_THAT(result.inputs, IsEmpty());
}

TEST(Import, RequestsOnDifferentTablesAreNoPair) {
  const Result result =
      import_statements({kCreate, {"CREATE TABLE t2 (a INT)"}, kInsert, {"SELECT a FROM t2"}});
  for (const Input& input : result.of(Candidate::Form::kPair)) {
    const bool disjoint = input.clients[0].requests[0].text == kInsert.text &&
                          input.clients[1].requests[0].text == "SELECT a FROM t2";
    EXPECT_FALSE(disjoint);
  }
}

// The update stands between insert and select: select after insert alone would mean another thing.
TEST(Import, NothingIsCutAcrossAConflict) {
  const Result result = import_statements({kCreate, kInsert, {"UPDATE t1 SET a = 2"}, kSelect});
  for (const Input& input : result.of(Candidate::Form::kPair)) {
    const bool across = input.clients[0].requests[0].text == kInsert.text &&
                        input.clients[1].requests[0].text == kSelect.text;
    EXPECT_FALSE(across);
  }
}

TEST(Import, TheSliceLeavesOutWhatIsNotNeeded) {
  const Result result = import_statements({{"CREATE TABLE t2 (a INT)"},
                                           {"INSERT INTO t2 VALUES (5)"},
                                           kCreate,
                                           {"DROP TABLE t1"},
                                           kCreate,
                                           {"INSERT INTO t1 SELECT a FROM t2"},
                                           {"CREATE TABLE t3 (a INT)"},
                                           {"DELETE FROM t1"},
                                           kSelect});
  const auto pairs = result.of(Candidate::Form::kPair);
  const auto wanted = std::find_if(pairs.begin(), pairs.end(), [](const Input& input) {
    return input.clients[0].requests[0].text == "DELETE FROM t1";
  });
  ASSERT_NE(wanted, pairs.end());
  EXPECT_THAT(wanted->setup, ElementsAre("CREATE TABLE t2 (a INT)", "INSERT INTO t2 VALUES (5)",
                                         kCreate.text, "INSERT INTO t1 SELECT a FROM t2"));
}

TEST(Import, SettingsGoToTheClientsWithWhatTheyRead) {
  const Result result = import_statements({{"SET @before = @@sql_mode"},
                                           {"SET sql_mode = 'ANSI'"},
                                           kCreate,
                                           {"SET sql_mode = @before"},
                                           kInsert,
                                           kSelect});
  const auto pairs = result.of(Candidate::Form::kPair);
  ASSERT_FALSE(pairs.empty());
  EXPECT_THAT(pairs[0].setup, ElementsAre("SET sql_mode = 'ANSI'", kCreate.text));
  EXPECT_THAT(pairs[0].clients[0].setup,
              ElementsAre("SET @before = @@sql_mode", "SET sql_mode = @before"));
}

TEST(Import, NoCutInsideATransaction) {
  const Result result = import_statements({kCreate, {"BEGIN"}, kInsert, kSelect, {"ROLLBACK"}});
  EXPECT_THAT(result.of(Candidate::Form::kPair), IsEmpty());
  EXPECT_THAT(result.counts.rejected,
              Contains(Key("pair: a transaction, lock or handler is open there")));
}

TEST(Import, ViewsAndRoutinesAreSharedToo) {
  const Result result = import_statements({kCreate,
                                           {"CREATE VIEW v1 AS SELECT a FROM t1"},
                                           {"SELECT a FROM v1"},
                                           {"DROP VIEW v1"},
                                           {"CREATE PROCEDURE p1() SELECT 1"},
                                           {"CALL p1()"},
                                           {"DROP PROCEDURE p1"}});
  std::vector<std::string> kinds;
  for (const ImportedInput& one : result.inputs) kinds.push_back(one.kinds);
  EXPECT_THAT(kinds, Contains("SELECT | DROP VIEW"));
  EXPECT_THAT(kinds, Contains("CALL | DROP PROCEDURE"));
}

TEST(Import, WhatChangesByItselfIsRefusedAndCounted) {
  const Result result = import_statements({kCreate,
                                           {"INSERT INTO t1 VALUES (RAND())"},
                                           {"SELECT a, NOW() FROM t1"},
                                           {"EXPLAIN SELECT a FROM t1"},
                                           {"SELECT a INTO OUTFILE 'x' FROM t1"},
                                           {"INSERT INTO t1 VALUES ('\xff')"}});
  EXPECT_THAT(result.inputs, IsEmpty());
  EXPECT_EQ(result.counts.rejected.at("statement: its answer changes by itself"), 2u);
  EXPECT_EQ(result.counts.rejected.at("statement: reads or writes files"), 1u);
  EXPECT_EQ(result.counts.rejected.at("statement: not UTF-8"), 1u);
}

TEST(Import, ASetupThatFailedHalfWayIsRefused) {
  const Result result =
      import_statements({kCreate, {"INSERT INTO t1 VALUES (1),(1)", 1062}, kInsert, kSelect});
  for (const Input& input : result.of(Candidate::Form::kPair)) {
    EXPECT_NE(input.clients[1].requests[0].text, kSelect.text);
  }
  EXPECT_THAT(result.counts.rejected, Contains(Key("setup: a statement that failed half way")));
}

TEST(Import, OneOfEachShape) {
  std::vector<Told> statements = {kCreate};
  for (int i = 0; i < 6; ++i) {
    statements.push_back({"INSERT INTO t1 VALUES (" + std::to_string(i) + ")"});
    statements.push_back({"SELECT a FROM t1 WHERE a > " + std::to_string(i)});
  }
  const Result result = import_statements(statements);
  size_t found = 0;
  for (const ImportedInput& one : result.inputs) found += one.kinds == "INSERT | SELECT" ? 1 : 0;
  EXPECT_EQ(found, 1u);
}

TEST(Import, TheSameLogsGiveTheSameInputs) {
  const std::vector<Told> statements = {kCreate, kInsert, kSelect, {"DELETE FROM t1"}, kSelect};
  const Result once = import_statements(statements);
  const Result again = import_statements(statements);
  ASSERT_EQ(once.inputs.size(), again.inputs.size());
  for (size_t i = 0; i < once.inputs.size(); ++i)
    EXPECT_EQ(once.inputs[i].input, again.inputs[i].input);
}

TEST(Import, EveryInputCanBeReadBack) {
  const Result result = import_statements({kCreate, kInsert, kSelect, {"DELETE FROM t1"}, kSelect});
  std::vector<Input> inputs;
  for (const ImportedInput& one : result.inputs) inputs.push_back(one.input);
  ASSERT_FALSE(inputs.empty());
  std::vector<Input> read = parse_inputs(to_yaml(inputs), "f.yaml", languages());
  for (Input& input : read) input.origin.clear();
  EXPECT_EQ(read, inputs);
}

TEST(Shape, ValuesAndColumnsDoNotMatterTablesDo) {
  const auto shape = [](const std::string& a, const std::string& b) {
    Input input;
    input.clients = {{"A", {}, {{a, false}}}, {"B", {}, {{b, false}}}};
    return mariadb_language().shape(input);
  };
  EXPECT_EQ(shape("INSERT INTO t1 VALUES (1),(2)", "SELECT a FROM t1"),
            shape("insert into x9 values ('a')", "select b1 from x9"));
  EXPECT_NE(shape("INSERT INTO t1 VALUES (1)", "SELECT a FROM t1"),
            shape("INSERT INTO t1 VALUES (1)", "SELECT a FROM t2"));
  EXPECT_NE(shape("INSERT INTO t1 VALUES (1)", "SELECT a FROM t1"),
            shape("REPLACE INTO t1 VALUES (1)", "SELECT a FROM t1"));
}

}  // namespace
}  // namespace esox
