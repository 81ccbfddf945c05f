// SPDX-License-Identifier: Apache-2.0
// What is in a full prefix, its limits, and which inputs are made again with it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "targets/mariadb/language.h"
#include "targets/sql/import/slice.h"
#include "targets/sql/import/test_import.h"
#include "tests/unit/import/fixtures.h"

namespace esox {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::EndsWith;
using testing::IsEmpty;
using testing::Pair;
using testing_import::kCreate;
using testing_import::kInsert;
using testing_import::kSelect;
using testing_import::log_of;
using testing_import::Told;

using Texts = std::vector<std::string>;

// With session 7 in place of the usual one.
Told elsewhere(Told told) {
  told.session = 7;
  return told;
}

struct Prefixed {
  std::string refused;
  Texts setup;
  std::vector<Texts> clients;
};

Prefixed prefix_of(const std::vector<Told>& statements,
                   const std::vector<std::vector<size_t>>& clients) {
  const LoggedTest test = read_logged_test(log_of(statements));
  const SessionStates states = session_states(test);
  const LoggedTransactions transactions = transactions_of(test, states);
  const Slice slice = Slicer(test, states, transactions).prefix({Candidate::Form::kPair, clients});
  const auto texts = [&](const std::vector<size_t>& numbers) {
    Texts all;
    for (const size_t i : numbers) all.push_back(test.statements[i].text);
    return all;
  };
  Prefixed result{slice.refused, texts(slice.setup), {}};
  for (const auto& client : slice.clients) result.clients.push_back(texts(client));
  return result;
}

// Nothing in the log tells that one procedure calls the other: a slice would miss it.
TEST(Prefix, HasAllThatCameBeforeAndBetweenTheMembers) {
  const Prefixed prefix = prefix_of({{"CREATE PROCEDURE p2() SELECT 1"},
                                     {"CREATE PROCEDURE p1() EXECUTE IMMEDIATE 'CALL p2()'"},
                                     kCreate,
                                     kInsert,
                                     {"CREATE TABLE t2 (a INT)"},
                                     kSelect},
                                    {{3}, {5}});
  EXPECT_EQ(prefix.refused, "");
  EXPECT_THAT(prefix.setup, ElementsAre("CREATE PROCEDURE p2() SELECT 1",
                                        "CREATE PROCEDURE p1() EXECUTE IMMEDIATE 'CALL p2()'",
                                        kCreate.text, "CREATE TABLE t2 (a INT)"));
}

TEST(Prefix, LeavesOutWhatFailedWhatIsUnfitAndWhatOnlyAsks) {
  const Prefixed prefix = prefix_of({kCreate,
                                     {"INSERT INTO t1 VALUES (2)", 1062},
                                     {"SELECT a INTO OUTFILE 'x' FROM t1"},
                                     {"SHOW TABLES"},
                                     {"EXPLAIN SELECT a FROM t1"},
                                     kSelect,
                                     {"CREATE FUNCTION f1() RETURNS INT DELETE FROM t1"},
                                     {"SELECT f1() FROM t1"},
                                     kInsert,
                                     kSelect},
                                    {{8}, {9}});
  EXPECT_THAT(prefix.setup,
              ElementsAre(kCreate.text, "CREATE FUNCTION f1() RETURNS INT DELETE FROM t1",
                          "SELECT f1() FROM t1"));
}

TEST(Prefix, GivesEachClientItsSessionsSettingsAndWhatItsRequestsUse) {
  const Prefixed prefix = prefix_of({kCreate,
                                     {"SET sql_mode = 'ANSI'"},
                                     {"SET @unused = 1"},
                                     {"SET @value = 5"},
                                     {"INSERT INTO t1 VALUES (@value)"},
                                     kSelect},
                                    {{4}, {5}});
  EXPECT_THAT(prefix.setup, ElementsAre(kCreate.text, "SET sql_mode = 'ANSI'", "SET @unused = 1",
                                        "SET @value = 5"));
  EXPECT_THAT(prefix.clients, ElementsAre(ElementsAre("SET sql_mode = 'ANSI'", "SET @value = 5"),
                                          ElementsAre("SET sql_mode = 'ANSI'")));
}

TEST(Prefix, TakesOfOtherConnectionsWhatMeansTheSameInOneSession) {
  const Told other = elsewhere({"CREATE TABLE t3 (a INT)"});
  const Told ansi = elsewhere({"SET sql_mode = 'ANSI'"});
  const Told in_ansi = elsewhere({"CREATE TABLE t4 (a INT)"});
  const Prefixed prefix =
      prefix_of({kCreate, kInsert, kInsert, other, ansi, in_ansi, kInsert, kSelect}, {{6}, {7}});
  EXPECT_THAT(prefix.setup, ElementsAre(kCreate.text, kInsert.text, kInsert.text, other.text));
}

TEST(Prefix, TakesNothingOfOtherConnectionsWhileATransactionIsOpen) {
  const Told other = elsewhere({"CREATE TABLE t3 (a INT)"});
  const Prefixed prefix =
      prefix_of({kCreate, {"BEGIN"}, kInsert, other, {"COMMIT"}, kInsert, kSelect}, {{5}, {6}});
  EXPECT_THAT(prefix.setup, ElementsAre(kCreate.text, "BEGIN", kInsert.text, "COMMIT"));
}

TEST(Prefix, ThatEndsWithinATransactionIsRefused) {
  const Prefixed prefix =
      prefix_of({kCreate, {"BEGIN"}, kInsert, elsewhere(kInsert), elsewhere(kSelect)}, {{3}, {4}});
  EXPECT_EQ(prefix.refused, "full prefix: its session holds something open");
}

TEST(Prefix, LongerThanALimitIsRefused) {
  std::vector<Told> statements = {kCreate};
  statements.resize(kMostPrefix, kInsert);
  statements.push_back(kSelect);
  statements.push_back(kInsert);
  const auto last = [&] { return std::vector<std::vector<size_t>>{{statements.size() - 1}}; };
  EXPECT_EQ(prefix_of(statements, last()).refused, "");
  statements.push_back(kInsert);
  EXPECT_EQ(prefix_of(statements, last()).refused, "full prefix: longer than the limit");
  statements = {kCreate, {"INSERT INTO t1 VALUES ('" + std::string(kMostPrefixBytes, 'x') + "')"}};
  statements.push_back(kInsert);
  EXPECT_EQ(prefix_of(statements, last()).refused, "full prefix: longer than the limit");
}

// Its slice would have more statements than are allowed.
class LongTest : public testing::Test {
 protected:
  LongTest() {
    std::vector<Told> statements = {{"CREATE TABLE other (a INT)"},
                                    {"CREATE TABLE t1 (a INT) ENGINE=MyISAM"}};
    statements.resize(statements.size() + kMostSetup, kInsert);
    statements.push_back({"DELETE FROM t1"});
    statements.push_back(kSelect);
    test_ = {"main/long", log_of(statements), {}};
    members_ = {{statements.size() - 2}, {statements.size() - 1}};
  }

  std::vector<ImportedInput> again(const std::set<std::string>& known, Selection& selection) {
    return import_prefixes(mariadb_language(), test_, {{Candidate::Form::kPair, members_}}, known,
                           selection, counts_);
  }

  CapturedTest test_;
  std::vector<std::vector<size_t>> members_;
  ImportCounts counts_;
};

TEST_F(LongTest, IsRememberedForASecondTry) {
  Selection selection({});
  const TestInputs made = import_test(mariadb_language(), test_, selection, counts_);
  EXPECT_THAT(made.too_long, Contains(testing::Field(&Candidate::clients, members_)));
}

TEST_F(LongTest, GivesTheSameInputEachTimeAndItsTitleSaysOfWhatKindItIs) {
  Selection selection({});
  const auto made = again({}, selection);
  ASSERT_EQ(made.size(), 1u);
  EXPECT_EQ(made[0].input.setup.size(), kMostSetup + 2);
  EXPECT_THAT(made[0].input.title, EndsWith(": with the full prefix"));
  EXPECT_TRUE(made[0].whole_prefix);
  EXPECT_EQ(candidate_of(made[0]).clients, members_);
  EXPECT_EQ(counts_.stages.at("inputs made again with the full prefix"), 1u);
  Selection another({});
  EXPECT_EQ(again({}, another).at(0).input, made[0].input);
}

// The other table is of the default engine.
TEST_F(LongTest, IsForTheEnginesOfTheTablesOfItsRequests) {
  Selection selection({});
  EXPECT_THAT(again({}, selection).at(0).input.engines, IsEmpty());
}

TEST_F(LongTest, IsNotMadeAgainWhereItsSliceWasTheSame) {
  Selection selection({});
  const auto made = again({}, selection);
  Selection another({});
  EXPECT_THAT(again({made.at(0).input.id}, another), IsEmpty());
  EXPECT_THAT(counts_.rejected, Contains(Pair("full prefix: its slice was the same", 1u)));
}

TEST_F(LongTest, GivesNothingWhereAnInputOfItsShapeIsThere) {
  Selection selection({});
  const auto made = again({}, selection);
  Selection knowing({});
  knowing.know(made.at(0));
  EXPECT_THAT(again({}, knowing), IsEmpty());
}

TEST_F(LongTest, CandidatesThatTheLogsDoNotHaveAreLeftOut) {
  members_ = {{100000}, {100001}};
  Selection selection({});
  EXPECT_THAT(again({}, selection), IsEmpty());
}

}  // namespace
}  // namespace esox
