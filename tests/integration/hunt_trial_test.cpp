// SPDX-License-Identifier: Apache-2.0
// What a trial on the real server admits, refuses, and says of an input.
#include "harness/import/admission.h"
#include "harness/import/corpus_reader.h"
#include "harness/import/suite_inputs.h"
#include "harness/import/trial.h"
#include "targets/mariadb/language.h"
#include "targets/mariadb/target.h"
#include "tests/integration/hunt_fixture.h"
#include "tests/unit/import/fixtures.h"

namespace esox {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::Gt;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

class TrialTest : public HuntTest {
 protected:
  // Two clients whose requests came in turns, all of them without an error.
  static ImportedInput pair(std::vector<std::string> setup, const std::string& a,
                            const std::string& b) {
    ImportedInput imported;
    imported.input.language = &mariadb_language();
    imported.input.id = "mtr/main/made-up/" + a + b;
    imported.input.setup = std::move(setup);
    imported.input.clients = {{"A", {}, {{a, false}}}, {"B", {}, {{b, false}}}};
    imported.test = "main/made-up";
    imported.errors = {{0}, {0}};
    imported.log_order = {0, 1};
    imported.one_connection = true;
    return imported;
  }

  std::vector<TrialResult> run_all(const std::vector<ImportedInput>& inputs) {
    TrialGroup group;
    for (const ImportedInput& one : inputs) group.inputs.push_back(&one);
    return trial_.run(group);
  }
  TrialResult run(const ImportedInput& imported) { return run_all({imported}).at(0); }

  Trial trial_{server_, options()};
};

const std::vector<std::string> kTable = {"CREATE TABLE t1 (a INT) ENGINE=MyISAM",
                                         "INSERT INTO t1 VALUES (1)"};

TEST_F(TrialTest, AdmitsAPairThatIsAsInTheLogAndSeesThatItsOrderMatters) {
  const TrialResult result = run(pair(kTable, "INSERT INTO t1 VALUES (2)", "SELECT a FROM t1"));
  EXPECT_EQ(result.rejected, "") << result.detail;
  EXPECT_EQ(result.sensitivity, Sensitivity::kClean);
  EXPECT_THAT(result.contacts, SizeIs(Gt(3u)));
  EXPECT_THAT(result.observations, IsEmpty());
}

TEST_F(TrialTest, SeesThatTheOrderChangesTheTablesOnly) {
  const TrialResult result =
      run(pair(kTable, "UPDATE t1 SET a = 5 LIMIT 1", "UPDATE t1 SET a = 7 LIMIT 1"));
  EXPECT_EQ(result.sensitivity, Sensitivity::kClean) << result.rejected << result.detail;
}

TEST_F(TrialTest, SeesThatTheOrderDoesNotMatter) {
  const TrialResult result = run(pair(kTable, "INSERT INTO t1 VALUES (2)", "CHECK TABLE t1"));
  EXPECT_EQ(result.rejected, "") << result.detail;
  EXPECT_EQ(result.sensitivity, Sensitivity::kNone);
}

TEST_F(TrialTest, TellsAMereExistenceErrorFromOthers) {
  EXPECT_EQ(run(pair(kTable, "SELECT a FROM t1", "DROP TABLE t1")).sensitivity,
            Sensitivity::kExistence);
  const std::vector<std::string> unique = {"CREATE TABLE t1 (a INT PRIMARY KEY) ENGINE=MyISAM",
                                           "INSERT INTO t1 VALUES (1)"};
  EXPECT_EQ(run(pair(unique, "DELETE FROM t1", "INSERT INTO t1 VALUES (1)")).sensitivity,
            Sensitivity::kFailing);
}

TEST_F(TrialTest, RefusesWhatFailsOtherwiseThanInTheLog) {
  ImportedInput fails = pair(kTable, "INSERT INTO t2 VALUES (2)", "SELECT a FROM t1");
  const TrialResult result = run(fails);
  EXPECT_EQ(result.rejected, "a request fails that succeeded in the test");
  EXPECT_THAT(result.detail, HasSubstr("1146"));
  fails.errors = {{1146}, {0}};
  EXPECT_EQ(run(fails).rejected, "");
  ImportedInput succeeds = pair(kTable, "INSERT INTO t1 VALUES (2)", "SELECT a FROM t1");
  succeeds.errors = {{0}, {1146}};
  EXPECT_EQ(run(succeeds).rejected, "a request does not fail as it did in the test");
}

TEST_F(TrialTest, RefusesWhatDiffersFromRunToRun) {
  EXPECT_EQ(run(pair(kTable, "INSERT INTO t1 VALUES (2)", "SELECT NOW(6), a FROM t1")).rejected,
            "a reply differs between equal serial runs");
  const std::vector<std::string> dates = {"CREATE TABLE t1 (a DATETIME) ENGINE=MyISAM"};
  EXPECT_EQ(run(pair(dates, "INSERT INTO t1 VALUES (NOW())", "CHECK TABLE t1")).rejected,
            "the state differs between equal serial runs");
}

TEST_F(TrialTest, RefusesWhatDependsOnItsConnection) {
  const std::vector<std::string> counting = {
      "CREATE TABLE t1 (a INT AUTO_INCREMENT PRIMARY KEY, b INT) ENGINE=MyISAM"};
  ImportedInput input =
      pair(counting, "INSERT INTO t1 (b) VALUES (2)", "SELECT LAST_INSERT_ID() FROM t1");
  EXPECT_EQ(run(input).rejected, "a reply depends on what its connection did before");
  input.one_connection = false;  // in the log it was over another connection, too
  EXPECT_EQ(run(input).rejected, "");
}

TEST_F(TrialTest, RefusesWhatCannotBeSetUpOrWaits) {
  EXPECT_EQ(run(pair({"CREATE TABLE t1 (a INT", "x"}, "SELECT 1", "SELECT 2")).rejected,
            "its setup fails");
  ImportedInput waits = pair({"CREATE TABLE t1 (a INT) ENGINE=InnoDB"}, "", "");
  waits.input.clients[0].requests = {{"LOCK TABLES t1 WRITE", false}, {"UNLOCK TABLES", false}};
  waits.input.clients[1].requests = {{"INSERT INTO t1 VALUES (1)", false}};
  waits.errors = {{0, 0}, {0}};
  waits.log_order = {0, 1, 0};
  waits.one_connection = false;
  const TrialResult result = run(waits);
  EXPECT_EQ(result.rejected, "a request waits for one of another client") << result.detail;
}

TEST_F(TrialTest, ObservesWhatChangesBesideTables) {
  const TrialResult variable =
      run(pair(kTable, "SET GLOBAL concurrent_insert = 2", "INSERT INTO t1 VALUES (3)"));
  EXPECT_EQ(variable.rejected, "") << variable.detail;
  EXPECT_THAT(variable.observations, ElementsAre(HasSubstr("SYSTEM_VARIABLES")));
  const TrialResult user = run(pair(kTable, "CREATE USER u1", "INSERT INTO t1 VALUES (3)"));
  EXPECT_THAT(user.observations, ElementsAre(HasSubstr("USER_PRIVILEGES"))) << user.detail;
  const TrialResult database = run(pair(kTable, "CREATE DATABASE d1", "SELECT a FROM t1"));
  EXPECT_THAT(database.observations, ElementsAre(HasSubstr("DATABASES"))) << database.detail;
  EXPECT_EQ(run(pair(kTable,
                     "CREATE SERVER s FOREIGN DATA WRAPPER mysql OPTIONS (HOST 'h', DATABASE 'd', "
                     "USER 'u')",
                     "SELECT a FROM t1"))
                .rejected,
            "it changes the server's own tables");
}

TEST_F(TrialTest, InputsOfOneGroupDoNotTouchEachOther) {
  const auto results = run_all({pair(kTable, "DELETE FROM t1", "INSERT INTO t1 VALUES (9)"),
                                pair(kTable, "DROP TABLE t1", "SELECT 1"),
                                pair(kTable, "SELECT a FROM t1", "SELECT a + 1 FROM t1"),
                                pair(kTable, "INSERT INTO t1 VALUES (2)", "SELECT a FROM t1")});
  ASSERT_THAT(results, SizeIs(4));
  for (const TrialResult& result : results) EXPECT_EQ(result.rejected, "") << result.detail;
  EXPECT_EQ(results[0].sensitivity, Sensitivity::kClean);
  EXPECT_EQ(results[2].sensitivity, Sensitivity::kNone);
  EXPECT_EQ(results[3].sensitivity, Sensitivity::kClean);
}

TEST_F(TrialTest, AnInputIsTriedOnEachOfItsEnginesAndOnceOnly) {
  Corpus corpus(folder_.path() / "corpus");
  std::vector<ImportedInput> inputs = {
      pair({"CREATE TABLE t1 (a INT)"}, "INSERT INTO t1 VALUES (2)", "SELECT a FROM t1")};
  inputs[0].input.id = "mtr/main/made-up/1";
  inputs[0].input.engines = {"Aria", "InnoDB"};
  inputs[0].input.server_options = {"--default-storage-engine=${engine}"};
  size_t done = 0;
  const auto count = [&](const AdmissionProgress& progress) { done = progress.done; };
  try_inputs(server_, options(), inputs, corpus, 2, stop_, count);
  EXPECT_EQ(done, 2u);
  const auto trials = corpus.trials();
  ASSERT_THAT(trials, SizeIs(2));
  for (const auto& [key, result] : trials) EXPECT_EQ(result.rejected, "") << result.detail;
  const std::vector<Contact> contacts = trials.begin()->second.contacts;
  EXPECT_THAT(contacts, SizeIs(Gt(3u)));
  done = 0;
  try_inputs(server_, options(), inputs, corpus, 2, stop_, count);
  EXPECT_EQ(done, 0u);
}

TEST_F(TrialTest, AnInputWithWhichTheServerDoesNotStartIsRejectedAndTheOthersAreTried) {
  Corpus corpus(folder_.path() / "corpus");
  std::vector<ImportedInput> inputs;
  for (int i = 0; i < 4; ++i) {
    inputs.push_back(pair(kTable, "INSERT INTO t1 VALUES (2)", "SELECT a FROM t1"));
    inputs.back().input.id = "mtr/main/made-up/" + std::to_string(i);
    if (i < 3)
      inputs.back().input.server_options = {"--innodb-page-size=" + std::to_string(4 << i) + "k"};
  }
  inputs[2].input.server_options = {"--no-such-option"};
  try_inputs(server_, options(), inputs, corpus, 1, stop_, [](const auto&) {});
  const auto trials = corpus.trials();
  ASSERT_THAT(trials, SizeIs(4));
  for (int i = 0; i < 4; ++i) {
    const TrialResult& result = trials.at({inputs[static_cast<size_t>(i)].input.id, ""});
    EXPECT_EQ(result.rejected, i < 3 ? "the server fails" : "") << result.detail;
  }
}

// A corpus with one captured test, whose second procedure calls the first by a text that no log
// has.
class SecondTry : public TrialTest {
 protected:
  SecondTry() : corpus_(folder_.path() / "corpus") {
    const std::filesystem::path capture = corpus_.capture_of("main/made-up");
    std::filesystem::create_directories(capture);
    write_whole_file(
        capture / "requests.log",
        testing_import::log_of(
            {{"CREATE TABLE t1 (a INT) ENGINE=MyISAM"},
             {"CREATE PROCEDURE p2() INSERT INTO t1 VALUES (2)"},
             {"CREATE PROCEDURE p1() BEGIN DELETE FROM t1; EXECUTE IMMEDIATE 'CALL p2()'; END"},
             {"CALL p1()"},
             {"SELECT a FROM t1"}}));
    corpus_.set_test("main/made-up", {"captured", ""});
  }

  // All of an import from the logs on. Gives the inputs that were made again.
  std::vector<ImportedInput> import_all() {
    SuiteInputs sliced = sliced_inputs(corpus_, tests_, {}, stop_, MariadbTarget());
    try_all(sliced.inputs);
    auto again = prefix_inputs(corpus_, tests_, {}, sliced, stop_, MariadbTarget());
    try_all(again);
    return again;
  }

  void try_all(const std::vector<ImportedInput>& inputs) {
    try_inputs(server_, options(), inputs, corpus_, 1, stop_,
               [&](const AdmissionProgress&) { ++shown_; });
  }

  Corpus corpus_;
  const std::vector<SuiteTest> tests_ = {{"main", "made-up", "", {}}};
  size_t shown_ = 0;  // 0: nothing was tried
};

TEST_F(SecondTry, HelpsWhereTheSliceMissesSomething) {
  const std::vector<ImportedInput> again = import_all();
  const auto trials = corpus_.trials();
  const auto wanted = std::find_if(again.begin(), again.end(), [](const ImportedInput& one) {
    return one.kinds == "CALL | SELECT";
  });
  ASSERT_NE(wanted, again.end());
  EXPECT_THAT(wanted->input.setup, SizeIs(3));
  const TrialResult& result = trials.at({wanted->input.id, ""});
  EXPECT_EQ(result.rejected, "") << result.detail;
  EXPECT_EQ(result.sensitivity, Sensitivity::kClean);
  for (const ImportedInput& one : again) {
    EXPECT_EQ(trials.at({one.input.id, ""}).rejected, "") << one.input.title;
  }
}

TEST_F(SecondTry, IsNotMadeOnceMore) {
  const std::vector<ImportedInput> once = import_all();
  ASSERT_FALSE(once.empty());
  shown_ = 0;
  const std::vector<ImportedInput> later = import_all();
  EXPECT_EQ(shown_, 0u);
  ASSERT_EQ(later.size(), once.size());
  for (size_t i = 0; i < once.size(); ++i) EXPECT_EQ(later[i].input, once[i].input);
}

}  // namespace
}  // namespace esox
