// SPDX-License-Identifier: Apache-2.0
// Whole transactions of a test as inputs: what is one, what is left out and why, at which level,
// and what setups make of those that went before.
#include "targets/sql/import/transactions.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "targets/mariadb/language.h"
#include "targets/sql/import/test_import.h"
#include "tests/unit/import/fixtures.h"

namespace esox {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::Key;
using testing_import::log_of;
using testing_import::Told;

constexpr bool kOpen = true;
constexpr bool kNone = false;

const Told kTable = {"CREATE TABLE t (a INT, b INT) ENGINE=InnoDB", 0, 4, kNone};
const Told kBegin = {"BEGIN", 0, 4, kOpen};
const Told kRead = {"SELECT b FROM t", 0, 4, kOpen};
const Told kWrite = {"UPDATE t SET b=1", 0, 4, kOpen};
const Told kCommit = {"COMMIT", 0, 4, kNone};
const Told kOther = {"UPDATE t SET b=2", 0, 5, kNone};

struct Imported {
  std::vector<Input> inputs;
  ImportCounts counts;
};

Imported transactions_in(const std::vector<Told>& statements,
                         const std::vector<std::string>& server_options = {}) {
  SelectionLimits limits;
  limits.form = Candidate::Form::kTransactions;
  Selection selection(limits);
  Imported made;
  for (ImportedInput& one :
       import_test(mariadb_language(), {"innodb/made_up", log_of(statements), server_options},
                   selection, made.counts)
           .inputs) {
    made.inputs.push_back(std::move(one.input));
  }
  return made;
}

std::vector<std::string> texts_of(const InputClient& client) {
  std::vector<std::string> texts;
  for (const Request& request : client.requests) texts.push_back(request.text);
  return texts;
}

TEST(ImportedTransactions, AreWholeWhateverOthersDidInBetween) {
  const Imported made = transactions_in({kTable, kBegin, kRead, kOther, kWrite, kCommit});
  ASSERT_EQ(made.inputs.size(), 1u);
  const Input& input = made.inputs[0];
  EXPECT_EQ(input.isolation_level, "repeatable-read");
  EXPECT_THAT(input.setup, ElementsAre(kTable.text));
  ASSERT_EQ(input.clients.size(), 2u);
  EXPECT_THAT(texts_of(input.clients[0]), ElementsAre(kOther.text)) << "it ended first";
  EXPECT_THAT(texts_of(input.clients[1]), ElementsAre("BEGIN", kRead.text, kWrite.text, "COMMIT"));
}

TEST(ImportedTransactions, ComeInTriplesToo) {
  const Imported made = transactions_in(
      {kTable, kBegin, kRead, kWrite, kCommit, kOther, {"DELETE FROM t", 0, 5, kNone}});
  EXPECT_THAT(made.inputs, Contains(testing::Field(&Input::clients, testing::SizeIs(3))));
}

TEST(ImportedTransactions, DoNotStandTogetherWhereATableWasMadeAnewInBetween) {
  const Imported made = transactions_in(
      {kTable, kBegin, kRead, kWrite, kCommit, {"DROP TABLE t", 0, 4, kNone}, kTable, kOther});
  EXPECT_THAT(made.inputs, IsEmpty());
}

// Without BEGIN: what the server says tells where one begins and ends.
TEST(ImportedTransactions, WithoutAutocommitTheyReachFromOneEndToTheNext) {
  const Told off = {"SET autocommit=0", 0, 4, kNone};
  const Imported made = transactions_in(
      {kTable, off, kWrite, kCommit, kRead, {"DELETE FROM t", 0, 4, kOpen}, kCommit, kOther});
  ASSERT_FALSE(made.inputs.empty());
  EXPECT_THAT(texts_of(made.inputs[0].clients[0]), ElementsAre(kWrite.text, "COMMIT"));
  EXPECT_THAT(texts_of(made.inputs[0].clients[1]),
              ElementsAre(kRead.text, "DELETE FROM t", "COMMIT"));
  EXPECT_THAT(made.inputs[0].clients[0].setup, ElementsAre(off.text));
  EXPECT_THAT(made.inputs[0].setup, ElementsAre(kTable.text)) << "a setup keeps nothing open";
}

TEST(ImportedTransactions, WhatWasCommittedBeforeIsDoneInTheSetupAndWhatWasUndoneIsNot) {
  const Told first = {"INSERT INTO t VALUES (1,1)", 0, 4, kOpen};
  const Told undone = {"INSERT INTO t VALUES (2,2)", 0, 4, kOpen};
  const Told rollback = {"ROLLBACK", 0, 4, kNone};
  const Imported made = transactions_in({kTable, kBegin, first, kCommit, kBegin, undone, rollback,
                                         kBegin, kRead, kWrite, kCommit, kOther});
  const auto last = std::find_if(made.inputs.begin(), made.inputs.end(), [&](const Input& input) {
    return texts_of(input.clients[0]).size() == 4 && input.clients.size() == 2;
  });
  ASSERT_NE(last, made.inputs.end());
  EXPECT_THAT(last->setup, ElementsAre(kTable.text, first.text));
}

TEST(ImportedTransactions, AreAtTheLevelThatTheTestAskedFor) {
  const auto level_of = [](const std::vector<Told>& before,
                           const std::vector<std::string>& options = {}) {
    std::vector<Told> all = {kTable};
    all.insert(all.end(), before.begin(), before.end());
    all.insert(all.end(), {kBegin, kRead, kWrite, kCommit, {"DELETE FROM t", 0, 4, kNone}});
    const Imported made = transactions_in(all, options);
    return made.inputs.empty() ? "none" : made.inputs[0].isolation_level;
  };
  const auto set = [](const std::string& text) { return Told{text, 0, 4, kNone}; };
  EXPECT_EQ(level_of({}), "repeatable-read");
  EXPECT_EQ(level_of({}, {"--transaction-isolation=READ-COMMITTED"}), "read-committed");
  EXPECT_EQ(level_of({set("SET SESSION TRANSACTION ISOLATION LEVEL SERIALIZABLE")}),
            "serializable");
  EXPECT_EQ(level_of({set("SET SESSION tx_isolation='READ-UNCOMMITTED'")}), "read-uncommitted");
  EXPECT_EQ(level_of({set("SET @@transaction_isolation = 'serializable'")}), "serializable");
  EXPECT_EQ(level_of({set("SET innodb_snapshot_isolation=ON")}), "snapshot");
  // Of the next transaction alone; the weaker one of both is the input's.
  EXPECT_EQ(level_of({set("SET TRANSACTION ISOLATION LEVEL SERIALIZABLE")}), "repeatable-read");
  EXPECT_EQ(level_of({set("SET TRANSACTION ISOLATION LEVEL READ COMMITTED")}), "read-committed");
}

TEST(ImportedTransactions, TheLevelIsNotSetASecondTime) {
  const Imported made =
      transactions_in({kTable,
                       {"SET SESSION TRANSACTION ISOLATION LEVEL SERIALIZABLE", 0, 4, kNone},
                       {"SET sql_mode=''", 0, 4, kNone},
                       kBegin,
                       kRead,
                       kWrite,
                       kCommit,
                       {"DELETE FROM t", 0, 4, kNone}});
  ASSERT_FALSE(made.inputs.empty());
  EXPECT_THAT(made.inputs[0].clients[0].setup, ElementsAre("SET sql_mode=''"));
}

// Each says by its reason why it is left out, and is counted.
TEST(ImportedTransactions, ThoseThatCannotBeJudgedAreLeftOutByReason) {
  const auto reasons = [](const std::vector<Told>& within, const Told& end = kCommit,
                          const Told& table = kTable) {
    std::vector<Told> all = {table, kBegin, kRead};
    all.insert(all.end(), within.begin(), within.end());
    all.insert(all.end(), {kWrite, end, kOther});
    Imported made = transactions_in(all);
    EXPECT_THAT(made.inputs, IsEmpty());
    return made.counts.rejected;
  };
  const auto within = [](const std::string& text, uint32_t error = 0) {
    return std::vector<Told>{{text, error, 4, kOpen}};
  };
  EXPECT_THAT(reasons(within("SELECT a FROM t FOR UPDATE SKIP LOCKED")),
              Contains(Key("transaction: it does not wait for locked rows (NOWAIT, SKIP LOCKED)")));
  EXPECT_THAT(reasons(within("SELECT GET_LOCK('x', 1)")),
              Contains(Key("transaction: locks of tables or users")));
  EXPECT_THAT(reasons(within("CREATE TEMPORARY TABLE tt (a INT)")),
              Contains(Key("transaction: a temporary table")));
  EXPECT_THAT(reasons(within("SELECT a FROM t FOR UPDATE", 1205)),
              Contains(Key("transaction: it waited in vain, or was a victim")));
  EXPECT_THAT(reasons(within("SET GLOBAL innodb_stats_persistent=1")),
              Contains(Key("transaction: it changes more than tables")));
  EXPECT_THAT(reasons(within("SELECT trx_state FROM information_schema.innodb_trx")),
              Contains(Key("transaction: it asks for what is in no transaction "
                           "(INFORMATION_SCHEMA)")));
  EXPECT_THAT(reasons(within("SELECT NOW()")),
              Contains(Key("transaction: its answer changes by itself")));
  EXPECT_THAT(reasons({}, {"COMMIT AND CHAIN", 0, 4, kOpen}),
              Contains(Key("transaction: chained to the next one")));
  EXPECT_THAT(reasons({}, {"ALTER TABLE t ADD c INT", 0, 4, kNone}),
              Contains(Key("transaction: ended by a statement of another kind")));
  EXPECT_THAT(reasons({}, kCommit, {"CREATE TABLE t (a INT, b INT) ENGINE=MyISAM", 0, 4, kNone}),
              Contains(Key("transactions: a table of an engine that may have none")));
}

TEST(ImportedTransactions, OfTablesThatNumberTheirRowsNoneThatAddsRows) {
  const Told numbered = {"CREATE TABLE t (a INT AUTO_INCREMENT PRIMARY KEY, b INT) ENGINE=InnoDB",
                         0, 4, kNone};
  const Told adds = {"INSERT INTO t (b) VALUES (1)", 0, 4, kOpen};
  const Imported adding = transactions_in({numbered, kBegin, adds, kCommit, kOther});
  EXPECT_THAT(adding.inputs, IsEmpty());
  EXPECT_THAT(adding.counts.rejected,
              Contains(Key("transactions: numbers in the order of asking (AUTO_INCREMENT)")));
  EXPECT_FALSE(transactions_in({numbered, kBegin, kWrite, kCommit, kOther}).inputs.empty());
}

TEST(ImportedTransactions, TwoOfOneXaNameDoNotStandTogether) {
  const auto xa = [](const std::string& name, uint64_t session) {
    return std::vector<Told>{{"XA START '" + name + "'", 0, session, kOpen},
                             {"UPDATE t SET b=b+1", 0, session, kOpen},
                             {"XA END '" + name + "'", 0, session, kOpen},
                             {"XA COMMIT '" + name + "' ONE PHASE", 0, session, kNone}};
  };
  const auto both = [&](const std::string& second) {
    std::vector<Told> all = {kTable};
    for (const auto& one : {xa("x", 4), xa(second, 5)})
      all.insert(all.end(), one.begin(), one.end());
    return transactions_in(all).inputs.size();
  };
  EXPECT_EQ(both("x"), 0u);
  EXPECT_EQ(both("y"), 1u);
}

// A log of before the server's word was kept: the texts tell.
TEST(ImportedTransactions, OfAnOldLogAreTheSame) {
  const auto bare = [](std::vector<Told> all) {
    for (Told& one : all) one.open.reset();
    return all;
  };
  const std::vector<Told> told = {kTable, kBegin, kRead, kOther, kWrite, kCommit};
  EXPECT_EQ(transactions_in(bare(told)).inputs, transactions_in(told).inputs);
}

}  // namespace
}  // namespace esox
