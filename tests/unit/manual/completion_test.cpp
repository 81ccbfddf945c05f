// SPDX-License-Identifier: Apache-2.0
// By esox's own command line; how the shells ask and answer is tested by integration_manual.
#include "harness/commands/manual/completion.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <CLI/CLI.hpp>
#include <filesystem>

#include "base/process/private_directory.h"
#include "harness/commands/command.h"
#include "harness/records/triage/store.h"

namespace esox {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::IsSupersetOf;
using testing::Not;
using testing::StartsWith;

class Completion : public testing::Test {
 protected:
  Completion() { define_command_line(root_, chosen_); }
  Offer at(const std::vector<std::string>& words) { return offer_at(root_.app(), words); }
  // Candidates without their descriptions.
  std::vector<std::string> offered(const std::vector<std::string>& words) {
    std::vector<std::string> names = at(words).candidates;
    for (std::string& name : names) name = name.substr(0, name.find('\t'));
    return names;
  }
  Fitting fitting(const std::vector<std::string>& words) { return at(words).fitting; }

 private:
  Command root_;
  Chosen chosen_;
};

TEST_F(Completion, OffersCommandsAndTheirPartsWithDescriptions) {
  EXPECT_THAT(offered({""}), IsSupersetOf({"hunt", "triage", "completion"}));
  EXPECT_THAT(offered({}), Contains("hunt"));
  EXPECT_THAT(offered({"h"}), ElementsAre("hunt"));
  EXPECT_THAT(offered({"triage", ""}), IsSupersetOf({"list", "show", "mark"}));
  EXPECT_THAT(at({"triage", "li"}).candidates, ElementsAre(StartsWith("list\t")));
}

TEST_F(Completion, OffersNoHiddenCommand) {
  EXPECT_THAT(offered({""}), Not(Contains("manual")));
  EXPECT_THAT(offered({"complete"}), IsEmpty());
}

TEST_F(Completion, OffersOptionsThoseThatNeedAValueWithAnEqualsSign) {
  EXPECT_THAT(offered({"hunt", "--iso"}), ElementsAre("--isolation="));
  EXPECT_THAT(offered({"hunt", "--jso"}), ElementsAre("--json"));
  EXPECT_THAT(offered({"triage", "list", "--st"}), IsSupersetOf({"--state=", "--store="}));
  EXPECT_THAT(offered({"nonsense", "--x", ""}), Not(IsEmpty()));
}

TEST_F(Completion, OffersWhatAnOptionCanBeHoweverTheShellSplitsTheLine) {
  for (const std::vector<std::string>& line :
       {std::vector<std::string>{"hunt", "--isolation", "sn"},
        {"hunt", "--isolation", "=", "sn"},
        {"hunt", "--isolation=sn"}}) {
    EXPECT_THAT(offered(line), ElementsAre("snapshot"));
    EXPECT_EQ(at(line).typed, "sn");
  }
  for (const std::vector<std::string>& line : {std::vector<std::string>{"hunt", "--isolation", ""},
                                               {"hunt", "--isolation", "="},
                                               {"hunt", "--isolation="}}) {
    EXPECT_THAT(offered(line), ElementsAre("auto", "snapshot", "restart"));
  }
}

TEST_F(Completion, KnowsWhatAValueCanBeByItsName) {
  EXPECT_EQ(fitting({"hunt", "--out", ""}), Fitting::kFolders);
  EXPECT_EQ(fitting({"hunt", "--server="}), Fitting::kProgram);
  EXPECT_EQ(fitting({"hunt", "--json", "=", "a"}), Fitting::kFiles);
  EXPECT_EQ(fitting({"hunt", "--jobs", ""}), Fitting::kNothing);
  EXPECT_THAT(offered({"hunt", "--jobs", ""}), IsEmpty());
}

TEST_F(Completion, KnowsWhatAnOperandCanBeByItsName) {
  EXPECT_EQ(fitting({"run", "m"}), Fitting::kFiles);
  EXPECT_EQ(fitting({"report", ""}), Fitting::kFolders);
  EXPECT_EQ(fitting({"replay", ""}), Fitting::kFindings);
  EXPECT_EQ(fitting({"triage", "show", ""}), Fitting::kIds);
  EXPECT_EQ(fitting({"filters", "test", ""}), Fitting::kFiles);
  EXPECT_EQ(fitting({"filters", "test", "mine.yaml", ""}), Fitting::kFindings);
  EXPECT_EQ(fitting({"filters", "test", "mine.yaml", "one", ""}), Fitting::kFindings);
  EXPECT_THAT(offered({"completion", ""}), ElementsAre("bash", "zsh"));
}

TEST_F(Completion, TakesNoValueForAnOperand) {
  EXPECT_EQ(fitting({"replay", "--times", "20", ""}), Fitting::kFindings);
  EXPECT_EQ(fitting({"filters", "test", "--json=a.json", ""}), Fitting::kFiles);
  EXPECT_EQ(fitting({"filters", "test", "--json", "=", "a.json", ""}), Fitting::kFiles);
  EXPECT_EQ(fitting({"hunt", "--server-option=--a=b", "--out", ""}), Fitting::kFolders);
  EXPECT_EQ(fitting({"hunt", "--server-option", "=", "--a", "=", "b", "--out", ""}),
            Fitting::kFolders);
  EXPECT_THAT(offered({"triage", "mark", "--note", "list", "--not"}), ElementsAre("--note="));
}

TEST_F(Completion, LeavesAnotherProgramsWordsToTheShell) {
  EXPECT_EQ(fitting({"exec", "--", "mkd"}), Fitting::kProgram);
  EXPECT_EQ(fitting({"exec", "mkd"}), Fitting::kProgram);
  EXPECT_EQ(fitting({"exec", "--jobs", "2", "--", "mkdir", "--p"}), Fitting::kArguments);
  EXPECT_EQ(fitting({"exec", "--", "mkdir", "--mode=7", ""}), Fitting::kArguments);
  EXPECT_THAT(offered({"exec", "--", "mkdir", "--"}), IsEmpty());
}

// The command itself, in a folder with a store of one finding.
TEST(CompleteWords, PrintsWhatTheShellAddsAndTheIdsOfTheStore) {
  const std::filesystem::path before = std::filesystem::current_path();
  const PrivateDirectory folder(temporary_base());
  std::filesystem::create_directories(folder.path() / "esox-out");
  RecordedHunt hunt;
  hunt.id = "hunt";
  Occurrence occurrence;
  occurrence.id = "0123456789abcdef";
  occurrence.signature = {"text", "plain", ""};
  Store(folder.path() / "esox-out/findings.db").record(hunt, {}, {occurrence});
  Command root;
  Chosen chosen;
  define_command_line(root, chosen);
  root.app().parse(std::vector<std::string>{"01", "show", "triage", "--", "complete-words"});
  std::filesystem::current_path(folder.path());
  testing::internal::CaptureStdout();
  EXPECT_EQ(chosen(), kNothingFound);
  std::filesystem::current_path(before);
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "none\n0123456789abcdef\n");
}

}  // namespace
}  // namespace esox
