// SPDX-License-Identifier: Apache-2.0
// The parts of an import that need no suite: its index, what is read of the runner, the wrapper.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "base/process/private_directory.h"
#include "base/process/server_error.h"
#include "harness/engine/known_servers.h"
#include "harness/import/admitted.h"
#include "harness/import/corpus.h"
#include "harness/import/corpus_reader.h"
#include "harness/import/suite_inputs.h"
#include "harness/records/out_folder.h"
#include "inputs/reader.h"
#include "inputs/writer.h"

namespace esox {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;
using testing::UnorderedElementsAre;

void write_file(const fs::path& path, const std::string& text) {
  fs::create_directories(path.parent_path());
  std::ofstream(path) << text;
}

ImportedInput an_input(const std::string& id, const std::string& test) {
  ImportedInput one;
  one.input.id = id;
  one.input.title = "it's a title";
  one.input.clients = {{"A", {}, {{"SELECT 1", false}}}, {"B", {}, {{"SELECT 2", false}}}};
  one.test = test;
  one.statements = {1, 2};
  one.kinds = "SELECT | SELECT";
  one.shape = id;
  return one;
}

CorpusInput in_corpus(const std::string& id, const std::string& test) {
  return {an_input(id, test), Sensitivity::kClean, 3};
}

class Corpora : public testing::Test {
 protected:
  PrivateDirectory directory_{temporary_base()};
  fs::path folder_ = directory_.path() / "corpus";
};

TEST_F(Corpora, RememberWhatWasDone) {
  Corpus(folder_).set_test("main/a", {"captured", ""});
  Corpus corpus(folder_);
  corpus.set_test("main/b", {"left out", "runs programs"});
  const auto tests = corpus.tests();
  EXPECT_EQ(tests.size(), 2u);
  EXPECT_EQ(tests.at("main/b").reason, "runs programs");
}

TEST_F(Corpora, HoldTheInputsOfTheLastImportAlone) {
  Corpus corpus(folder_);
  corpus.replace_inputs({in_corpus("mtr/main/a/1", "main/a"), in_corpus("mtr/main/b/2", "main/b")},
                        {}, {});
  corpus.replace_inputs({in_corpus("mtr/main/b/3", "main/b")}, {an_input("mtr/main/b/4", "main/b")},
                        {});
  const std::vector<Input> inputs = read_inputs(folder_ / "inputs", languages());
  ASSERT_EQ(inputs.size(), 1u);
  EXPECT_EQ(inputs[0].id, "mtr/main/b/3");
  ASSERT_EQ(corpus.best(10).size(), 1u);
  EXPECT_EQ(corpus.best(10)[0].id, "mtr/main/b/3");
  EXPECT_EQ(read_inputs(folder_ / "rejected", languages()).at(0).id, "mtr/main/b/4");
}

TEST_F(Corpora, KeepTheResultsOfTrials) {
  TrialResult admitted;
  admitted.sensitivity = Sensitivity::kClean;
  admitted.observations = {"SHOW DATABASES", "SELECT 1"};
  admitted.contacts = {0, 0xab, 0xffffffff};
  TrialResult rejected;
  rejected.rejected = "it is not right";
  rejected.detail = "A1: 'why'";
  Corpus(folder_).add_trials({{{"mtr/a", "Aria"}, admitted}, {{"mtr/a", ""}, rejected}});
  const auto trials = Corpus(folder_).trials();
  ASSERT_EQ(trials.size(), 2u);
  EXPECT_EQ(trials.at({"mtr/a", "Aria"}).sensitivity, Sensitivity::kClean);
  EXPECT_EQ(trials.at({"mtr/a", "Aria"}).observations, admitted.observations);
  EXPECT_EQ(trials.at({"mtr/a", "Aria"}).contacts, admitted.contacts);
  EXPECT_EQ(trials.at({"mtr/a", ""}).rejected, rejected.rejected);
  EXPECT_EQ(trials.at({"mtr/a", ""}).detail, rejected.detail);
}

TEST_F(Corpora, GiveTheirBestInputsInRankOrder) {
  Corpus(folder_).replace_inputs(
      {in_corpus("mtr/main/b/2", "main/b"), in_corpus("mtr/main/a/1", "main/a"),
       in_corpus("mtr/main/b/3", "main/b")},
      {}, {});
  EXPECT_TRUE(is_corpus(folder_));
  std::vector<std::string> ids;
  for (const Input& input : read_corpus(folder_, 2)) ids.push_back(input.id);
  EXPECT_THAT(ids, ElementsAre("mtr/main/b/2", "mtr/main/a/1"));
  EXPECT_EQ(read_corpus(folder_, 100).size(), 3u);
  EXPECT_EQ(read_corpus(folder_, SIZE_MAX).size(), 3u);
}

TEST_F(Corpora, SayThatAnInputIsGone) {
  Corpus(folder_).replace_inputs({in_corpus("mtr/main/a/1", "main/a")}, {}, {});
  write_whole_file(folder_ / "inputs/main/a.yaml", to_yaml(an_input("other", "main/a").input));
  EXPECT_THROW(read_corpus(folder_, 1), InputError);
  fs::remove(folder_ / "inputs/main/a.yaml");
  EXPECT_THROW(read_corpus(folder_, 1), InputError);
}

TEST_F(Corpora, RememberWhereInputsConflictedOnEachVersionOfTheServer) {
  const ConflictTable first = {{{7, 1}, 0, 0}, {{7, 1}, 0, 1}, {{7, 2}, 9, 0}};
  const ConflictTable second = {{{7, 1}, 0, 1}};
  Corpus(folder_).set_conflicts("10.11", {{"a", "Aria", first}, {"b", "Aria", second}});
  Corpus corpus(folder_);
  corpus.set_conflicts("11.4", {{"a", "Aria", {{{8, 1}, 0, 0}}}});
  corpus.set_conflicts("10.11", {{"b", "Aria", second}});  // again: still one input
  const ConflictPool expected = {{{{7, 1}, 0}, 2}, {{{7, 2}, 9}, 1}};
  EXPECT_EQ(corpus.conflicts("10.11"), expected);
  EXPECT_EQ(corpus.conflicts("11.4").size(), 1u);
  EXPECT_TRUE(corpus.conflicts("12.0").empty());
}

TEST_F(Corpora, RememberWhichKindsGaveFindings) {
  Corpus corpus(folder_);
  corpus.replace_inputs({in_corpus("mtr/main/a/1", "main/a"), in_corpus("mtr/main/a/2", "main/a")},
                        {}, {});
  corpus.add_history({{"mtr/main/a/1", 100, 0}, {"mtr/main/a/2", 100, 2}});
  corpus.add_history({{"mtr/main/a/1", 50, 0}, {"gone", 7, 7}});
  const History history = corpus.history();
  ASSERT_EQ(history.size(), 1u);
  EXPECT_EQ(history.at("SELECT | SELECT").hunted, 2u);
  EXPECT_EQ(history.at("SELECT | SELECT").fertile, 1u);
}

TEST(Admitted, KeepsTheEnginesThatAdmitAnInputAndRefusesItWhereNoneDoes) {
  TrialResult good;
  good.sensitivity = Sensitivity::kNone;
  TrialResult better = good;
  better.sensitivity = Sensitivity::kClean;
  better.observations = {"SHOW DATABASES"};
  TrialResult bad;
  bad.rejected = "its setup fails";
  std::vector<ImportedInput> inputs;
  for (const char* id : {"a", "b", "c"}) {
    inputs.push_back(an_input(id, "main/a"));
    inputs.back().input.engines = {"Aria", "InnoDB", "MyISAM"};
  }
  const Admitted result = admitted(std::move(inputs),
                                   {{{"a", "Aria"}, good},
                                    {{"a", "InnoDB"}, bad},
                                    {{"a", "MyISAM"}, better},
                                    {{"b", "Aria"}, bad},
                                    {{"b", "InnoDB"}, bad},
                                    {{"b", "MyISAM"}, bad}},
                                   {});
  ASSERT_EQ(result.inputs.size(), 1u);
  EXPECT_EQ(result.inputs[0].imported.input.id, "a");
  EXPECT_THAT(result.inputs[0].imported.input.engines, ElementsAre("Aria", "MyISAM"));
  EXPECT_THAT(result.inputs[0].imported.input.observations, ElementsAre("SHOW DATABASES"));
  EXPECT_EQ(result.inputs[0].sensitivity, Sensitivity::kClean);
  ASSERT_EQ(result.rejected.size(), 1u);
  EXPECT_EQ(result.rejected[0].input.id, "b");
  EXPECT_EQ(result.rejected[0].input.title, "it's a title: its setup fails");
  EXPECT_EQ(result.counts.rejected.at("trial: its setup fails"), 4u);
}

// Of three engines, one that admits an input is enough.
TEST(SecondTry, IsWorthItWhereTheSetupMayBeAtFaultAndNoEngineAdmits) {
  const auto rejected = [](const char* reason) {
    TrialResult result;
    result.rejected = reason;
    return result;
  };
  SuiteInputs sliced;
  for (const char* id : {"setup", "request", "other", "admitted", "untried"}) {
    sliced.inputs.push_back(an_input(id, "main/a"));
    sliced.inputs.back().input.engines = {"Aria", "InnoDB"};
  }
  sliced.inputs[1].statements = {5, 7};
  sliced.too_long["main/b"] = {{Candidate::Form::kPair, {{3}, {4}}}};
  const auto again = candidates_again(
      sliced, {{{"setup", "Aria"}, rejected("its setup fails")},
               {{"setup", "InnoDB"}, rejected("the server fails")},
               {{"request", "Aria"}, rejected("a request fails that succeeded in the test")},
               {{"other", "Aria"}, rejected("a reply differs between equal serial runs")},
               {{"admitted", "Aria"}, rejected("its setup fails")},
               {{"admitted", "InnoDB"}, TrialResult()}});
  ASSERT_EQ(again.size(), 2u);
  const std::vector<Candidate>& of_a = again.at("main/a");
  ASSERT_EQ(of_a.size(), 2u);
  EXPECT_THAT(of_a[0].clients, ElementsAre(ElementsAre(0u), ElementsAre(1u)));
  EXPECT_THAT(of_a[1].clients, ElementsAre(ElementsAre(4u), ElementsAre(6u)));
  EXPECT_EQ(again.at("main/b").size(), 1u);
}

TEST(Admitted, CountsThoseMadeAgain) {
  std::vector<ImportedInput> inputs = {an_input("a", "main/a"), an_input("b", "main/a")};
  inputs[1].whole_prefix = true;
  const Admitted result =
      admitted(std::move(inputs), {{{"a", ""}, TrialResult()}, {{"b", ""}, TrialResult()}}, {});
  EXPECT_EQ(result.counts.stages.at("inputs admitted"), 2u);
  EXPECT_EQ(result.counts.stages.at("inputs made again with the full prefix: admitted"), 1u);
}

TEST_F(Corpora, AreForOneImportAtATime) {
  Corpus corpus(folder_);
  corpus.set_test("main/a", {"captured", ""});
  EXPECT_THROW(Corpus other(folder_), DatabaseBusy);
}

TEST_F(Corpora, NeverTakeAnotherFolder) {
  write_file(folder_ / "mine.txt", "precious");
  EXPECT_THROW(Corpus corpus(folder_), OutError);
  EXPECT_THAT(fs::directory_iterator(folder_)->path().filename(), "mine.txt");
}

TEST_F(Corpora, RefuseADamagedIndex) {
  write_file(folder_ / "index.sqlite", std::string(5000, 'x'));
  EXPECT_THROW(Corpus corpus(folder_), DatabaseError);
}

constexpr DatabaseKind kEarlier = {.name = "an index of an earlier esox"};

// Such indices have no application id.
TEST_F(Corpora, GoOnWithAnIndexOfAnEarlierEsox) {
  fs::create_directories(folder_);
  {
    Database earlier(folder_ / "index.sqlite", kEarlier);
    earlier.run("CREATE TABLE corpus (version TEXT NOT NULL)");
    earlier.run("INSERT INTO corpus VALUES ('2')");
    earlier.run("CREATE TABLE tests (test TEXT PRIMARY KEY, state TEXT NOT NULL, reason TEXT)");
    earlier.run("INSERT INTO tests VALUES ('main/a', 'captured', '')");
  }
  EXPECT_EQ(Corpus(folder_).tests().at("main/a").state, "captured");
}

TEST_F(Corpora, RefuseAnIndexOfAnotherVersion) {
  fs::create_directories(folder_);
  {
    Database earlier(folder_ / "index.sqlite", kEarlier);
    earlier.run("CREATE TABLE corpus (version TEXT NOT NULL)");
    earlier.run("INSERT INTO corpus VALUES ('1')");
  }
  EXPECT_THROW(Corpus corpus(folder_), OutError);
}

TEST_F(Corpora, RefuseAStrangersDatabase) {
  fs::create_directories(folder_);
  {
    Database other(folder_ / "index.sqlite", kEarlier);
    other.run("CREATE TABLE precious (things TEXT)");
  }
  EXPECT_THROW(Corpus corpus(folder_), DatabaseError);
}

}  // namespace
}  // namespace esox
