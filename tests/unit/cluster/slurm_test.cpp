// SPDX-License-Identifier: Apache-2.0
#include "harness/nights/cluster/slurm.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <fstream>

#include "base/process/private_directory.h"
#include "harness/nights/cluster/command_output.h"
#include "harness/nights/cluster/shell_words.h"

namespace esox {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using Kind = ShardStatus::Kind;

ClusterRun run_in(const fs::path& out) {
  ClusterRun run;
  run.id = "2030-01-01T02-00-00Z";
  run.name = "nightly";
  run.file = out / "it's a $(touch hacked) \"file\".yaml";
  run.out = out;
  run.esox = "/bin/true";
  run.shards = 5;
  run.seed = 7;
  run.submit = {"--partition=main"};
  return run;
}

TEST(ShellWords, MeanExactlyWhatTheySay) {
  EXPECT_EQ(shell_word("/usr/bin/esox"), "/usr/bin/esox");
  EXPECT_EQ(shell_word(""), "''");
  EXPECT_EQ(shell_word("a b"), "'a b'");
  EXPECT_THROW(shell_word(std::string("a\0b", 3)), std::invalid_argument);
  for (const std::string word : {"it's", "$(touch x)", "a\nb", "`x`", "~", "*", "-n", "a\\b", "\"",
                                 "\xc3\xa9", "#", "!x", "a;b", "%s"}) {
    const auto said = command_output({"sh", "-c", "printf %s " + shell_word(word)});
    EXPECT_EQ(said.out, word);
  }
}

TEST(CommandOutput, TakesWhatAProgramSaysAndHowItEnds) {
  const auto said = command_output({"sh", "-c", "echo out; echo err >&2; exit 5"});
  EXPECT_TRUE(said.found);
  EXPECT_EQ(said.status, 5);
  EXPECT_EQ(said.out, "out\n");
  EXPECT_EQ(said.err, "err\n");
  EXPECT_FALSE(command_output({"there-is-no-such-program"}).found);
  const auto late = command_output({"sleep", "100"}, std::chrono::milliseconds(50));
  EXPECT_FALSE(late.in_time);
  EXPECT_EQ(command_output({"sh", "-c", "yes | head -c 3000000"}).out.size(), 3'000'000u);
}

TEST(Slurm, ArraysAreNamedShortly) {
  EXPECT_EQ(array_text({1, 2, 3, 5, 7, 8}), "1-3,5,7-8");
  EXPECT_EQ(array_text({4}), "4");
}

TEST(Slurm, ReadsWhatItsQueueSays) {
  const SlurmStates states = states_of_squeue(
      "12|3|RUNNING\n12|4|PENDING\n13|N/A|PENDING\nnonsense\n\n12|5|CANCELLED\n|||\n");
  EXPECT_EQ(states.size(), 3u);
  EXPECT_EQ(states.at({"12", 3}), "RUNNING");
  EXPECT_EQ(states.at({"12", 5}), "CANCELLED");
  const SlurmStates old = states_of_sacct(
      "12_1|COMPLETED\n12_2|CANCELLED by 1000\n12_[6-9]|PENDING\n14|FAILED\n12_3|NODE_FAIL\n");
  EXPECT_EQ(old.size(), 3u);
  EXPECT_EQ(old.at({"12", 2}), "CANCELLED");
  EXPECT_TRUE(is_live("COMPLETING"));
  EXPECT_TRUE(is_live("SUSPENDED"));
  for (const char* gone : {"COMPLETED", "FAILED", "NODE_FAIL", "TIMEOUT", "CANCELLED",
                           "OUT_OF_MEMORY", "PREEMPTED", "BOOT_FAIL", "DEADLINE", ""}) {
    EXPECT_FALSE(is_live(gone)) << gone;
  }
}

TEST(Slurm, AShardIsLostIfItNeitherEndedNorIsUnderWay) {
  ClusterRun run = run_in("/out");
  run.submitted = {{"12", {1, 2, 3, 4}}, {"13", {}}, {"14", {2}}, {"15", {}}};
  const SlurmStates states = {{{"12", 1}, "RUNNING"},
                              {{"12", 2}, "FAILED"},
                              {{"12", 3}, "TIMEOUT"},
                              {{"12", 4}, "COMPLETED"},
                              {{"14", 2}, "PENDING"}};
  const RunStatus status = status_of(run, {4}, states);
  EXPECT_THAT(status.of(Kind::kRunning), ElementsAre(1u));
  EXPECT_THAT(status.of(Kind::kWaiting), ElementsAre(2u)) << "its last job counts";
  EXPECT_THAT(status.of(Kind::kLost), ElementsAre(3u, 5u));
  EXPECT_THAT(status.of(Kind::kEnded), ElementsAre(4u));
  EXPECT_EQ(status.shards[2].state, "TIMEOUT");
  EXPECT_EQ(status.shards[4].state, "never submitted");
  const std::string text = status_text(run, status);
  EXPECT_THAT(text, AllOf(HasSubstr("2 lost: 3,5"), HasSubstr("3 TIMEOUT (12_3)"),
                          HasSubstr("esox slurm resubmit /out"), HasSubstr("not merged yet")));
  EXPECT_THAT(status_of(run, {1, 2, 3, 4, 5}, {}).of(Kind::kLost), IsEmpty())
      << "what ended, ended, though Slurm has forgotten it";
}

TEST(Slurm, ItsWordsSayWhatWasAsked) {
  ClusterRun run = run_in("/a folder/50%");
  run.minutes = 75;
  run.jobs = 2;
  EXPECT_THAT(submit_shards(run, {1, 2, 5}),
              AllOf(Contains("--array=1-2,5"), Contains("--cpus-per-task=2"), Contains("--time=75"),
                    Contains("--partition=main"), Contains("--parsable"),
                    Contains("--output=/a folder/50%%/cluster/" + run.id + "/shard-%a.log")));
  EXPECT_THAT(submit_merge(run, {"12", "14"}),
              AllOf(Contains("--dependency=afterany:12:14"), Contains("--partition=main")));
}

// The scripts, run by bash with a program in esox's place that notes what it was told.
class Scripts : public testing::Test {
 protected:
  Scripts() : run_(run_in(folder_.path() / "it's out")) {
    run_.esox = folder_.path() / "the esox";
    say(0);
    prepare(run_);
  }
  void say(int status, const std::string& more = "") {
    std::ofstream(run_.esox) << "#!/bin/bash\nprintf '%s\\n' \"$@\" >\"$(dirname \"$0\")/told\"\n"
                             << more << "\nexit " << status << "\n";
    chmod(run_.esox.c_str(), 0755);
  }
  CommandOutput shard(unsigned number) const {
    return command_output({"env", "SLURM_ARRAY_TASK_ID=" + std::to_string(number), "bash",
                           (run_.folder() / "shard.sh").string()});
  }
  std::vector<std::string> told() const {
    std::ifstream file(folder_.path() / "told");
    std::vector<std::string> lines;
    for (std::string line; std::getline(file, line);) lines.push_back(line);
    return lines;
  }
  PrivateDirectory folder_{temporary_base()};
  ClusterRun run_;
};

TEST_F(Scripts, AShardHuntsItsPartIntoAFolderOfItsOwn) {
  EXPECT_EQ(shard(3).status, 0);
  EXPECT_THAT(told(), ElementsAre("night", run_.file.string(), "--seed", "7", "--campaign", run_.id,
                                  "--shard", "3/5", "--out", (run_.out / "shards/3").string()));
  EXPECT_THAT(ended_shards(run_), ElementsAre(3u));
  EXPECT_FALSE(fs::exists("hacked"));
}

TEST_F(Scripts, AShardThatFoundSomethingHasEndedOneThatFailedHasNot) {
  say(1);
  EXPECT_EQ(shard(1).status, 0);
  say(3);
  EXPECT_EQ(shard(2).status, 3);
  EXPECT_THAT(ended_shards(run_), ElementsAre(1u));
}

TEST_F(Scripts, AShardThatWasToldToStopHasNotEndedHoweverTidilyItStopped) {
  say(0, "kill -TERM $PPID");
  EXPECT_EQ(shard(4).status, 143);
  EXPECT_THAT(ended_shards(run_), IsEmpty());
}

TEST_F(Scripts, TheMergeTakesTheShardsThatAreThere) {
  fs::create_directories(run_.out / "shards/1");
  fs::create_directories(run_.out / "shards/5");
  const auto merged = command_output({"bash", (run_.folder() / "merge.sh").string()});
  EXPECT_EQ(merged.status, 0) << merged.err;
  EXPECT_THAT(told(), ElementsAre("merge", "--json=" + (run_.folder() / "merge.json").string(),
                                  run_.out.string(), "shards/1/", "shards/5/"));
}

TEST_F(Scripts, ARunIsReadBackAsItWasWritten) {
  run_.submitted = {{"12", {1, 2}}, {"13", {}}};
  run_.minutes = 5;
  write_run(run_);
  const ClusterRun back = read_run(run_.out, "");
  EXPECT_EQ(back.id, run_.id);
  EXPECT_EQ(back.file, run_.file);
  EXPECT_EQ(back.seed, 7u);
  EXPECT_EQ(back.submit, run_.submit);
  ASSERT_EQ(back.submitted.size(), 2u);
  EXPECT_THAT(back.submitted[0].shards, ElementsAre(1u, 2u));
  std::ofstream(run_.folder() / "run.json") << "{\"format\": 1, \"run\":";
  EXPECT_THROW(read_run(run_.out, ""), ClusterError);
  EXPECT_THROW(read_run(run_.out, "none"), ClusterError);
  EXPECT_THROW(read_run(folder_.path(), ""), ClusterError);
}

}  // namespace
}  // namespace esox
