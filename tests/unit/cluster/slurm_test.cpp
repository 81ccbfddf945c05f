// SPDX-License-Identifier: Apache-2.0
#include "harness/nights/cluster/slurm.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iterator>

#include "base/process/private_directory.h"
#include "base/process/server_error.h"
#include "base/text/shell_words.h"

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

// Its exit status.
int run_by_shell(const std::string& line) {
  const int status = std::system(line.c_str());
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

std::string text_of(const fs::path& file) {
  std::ifstream stream(file);
  return {std::istreambuf_iterator<char>(stream), {}};
}

void write_program(const fs::path& file, const std::string& text) {
  std::ofstream(file) << "#!/bin/bash\n" << text;
  chmod(file.c_str(), 0755);
}

TEST(ShellWords, MeanExactlyWhatTheySay) {
  EXPECT_EQ(shell_word("/usr/bin/esox"), "/usr/bin/esox");
  EXPECT_EQ(shell_word(""), "''");
  EXPECT_EQ(shell_word("a b"), "'a b'");
  EXPECT_THROW(shell_word(std::string("a\0b", 3)), std::invalid_argument);
  const PrivateDirectory folder(temporary_base());
  const fs::path said = folder.path() / "said";
  for (const std::string word : {"it's", "$(touch x)", "a\nb", "`x`", "~", "*", "-n", "a\\b", "\"",
                                 "\xc3\xa9", "#", "!x", "a;b", "%s"}) {
    run_by_shell("printf %s " + shell_word(word) + " >" + said.string());
    EXPECT_EQ(text_of(said), word);
  }
}

TEST(Slurm, ArraysAreNamedShortly) {
  EXPECT_EQ(array_text({1, 2, 3, 5, 7, 8}), "1-3,5,7-8");
  EXPECT_EQ(array_text({4}), "4");
}

TEST(Slurm, ReadsWhatItsQueueSays) {
  const LiveTasks live = live_tasks(
      "12|3|RUNNING\n12|4|PENDING\n13|N/A|PENDING\nnonsense\n\n|||\nsqueue: "
      "a|b\n14|5|COMPLETING\n");
  EXPECT_EQ(live.size(), 3u);
  EXPECT_EQ(live.at(3).state, "RUNNING");
  EXPECT_EQ(live.at(5).job, "14");
}

TEST(Slurm, AShardIsLostIfItNeitherEndedNorIsUnderWay) {
  const ClusterRun run = run_in("/out");
  const LiveTasks live = {
      {1, {"12", "RUNNING"}}, {2, {"14", "PENDING"}}, {4, {"12", "COMPLETING"}}};
  const RunStatus status = status_of(run, {4}, live);
  EXPECT_THAT(status.of(Kind::kRunning), ElementsAre(1u));
  EXPECT_THAT(status.of(Kind::kWaiting), ElementsAre(2u));
  EXPECT_THAT(status.of(Kind::kLost), ElementsAre(3u, 5u));
  EXPECT_THAT(status.of(Kind::kEnded), ElementsAre(4u)) << "its own mark counts, not the queue";
  EXPECT_EQ(status.shards[1].job, "14_2");
  EXPECT_EQ(status.shards[2].state, "not in the queue");
  const std::string text = status_text(run, status);
  EXPECT_THAT(text, AllOf(HasSubstr("2 lost: 3,5"),
                          HasSubstr("3 not in the queue; /out/cluster/" + run.id + "/shard-3.log"),
                          HasSubstr("esox slurm resubmit /out"), HasSubstr("not merged yet")));
  EXPECT_THAT(status_of(run, {1, 2, 3, 4, 5}, {}).of(Kind::kLost), IsEmpty())
      << "what ended, ended, though Slurm has forgotten it";
}

// With programs in the place of Slurm's, first in PATH.
class FakeSlurm : public testing::Test {
 protected:
  FakeSlurm() {
    fs::create_directories(bin());
    setenv("PATH", (bin().string() + ":" + path_).c_str(), 1);
    prepare(run_);
  }
  ~FakeSlurm() override {
    setenv("PATH", path_.c_str(), 1);
    unsetenv("SQUEUE_STATES");
  }
  fs::path bin() const { return folder_.path() / "bin"; }

  PrivateDirectory folder_{temporary_base()};
  ClusterRun run_ = run_in(folder_.path());

 private:
  const std::string path_ = std::getenv("PATH");
};

TEST_F(FakeSlurm, LostShardsAreSubmittedAndAMergeBehindAllThatIsUnderWay) {
  write_program(bin() / "squeue",
                "[ -z \"$SQUEUE_STATES\" ] && echo '12|1|RUNNING' && echo '13|2|PENDING'\n");
  setenv("SQUEUE_STATES", "running", 1);
  write_program(bin() / "sbatch",
                "echo \"$@\" >>\"$0.told\"\n"
                "echo 'sbatch: a warning' >&2; echo '20;cluster'\n");
  std::ofstream(run_.folder() / "ended/3") << "0\n";
  std::ofstream(run_.folder() / "merge.json") << "{}\n";
  EXPECT_TRUE(status_of(run_).merged);
  const Resubmitted made = resubmit(run_);
  EXPECT_THAT(made.shards, ElementsAre(4u, 5u));
  EXPECT_EQ(made.job, "20");
  EXPECT_FALSE(status_of(run_).merged) << "not since then";
  EXPECT_THAT(text_of(bin() / "sbatch.told"),
              AllOf(HasSubstr("--array=4-5"), HasSubstr("--dependency=afterany:12:13:20")));
}

TEST_F(FakeSlurm, WhatItRefusesIsToldWithTheLine) {
  write_program(bin() / "sbatch", "echo 'sbatch: error: no such partition' >&2; exit 1\n");
  try {
    submit(submit_shards(run_, {1}));
    FAIL();
  } catch (const ClusterError& error) {
    EXPECT_THAT(error.what(), AllOf(HasSubstr("no such partition"), HasSubstr("--array=1")));
  }
  write_program(bin() / "sbatch", "echo hello\n");
  EXPECT_THROW(submit(submit_shards(run_, {1})), ClusterError);
}

TEST_F(FakeSlurm, ThatIsNotThereIsSaid) {
  setenv("PATH", bin().c_str(), 1);
  try {
    status_of(run_);
    FAIL();
  } catch (const ServerError& error) {
    EXPECT_THAT(error.what(), HasSubstr("there is no Slurm here"));
  }
}

TEST(Slurm, ItsWordsSayWhatWasAsked) {
  ClusterRun run = run_in("/a folder/50%");
  run.name = "nightly,-all";
  run.minutes = 75;
  run.jobs = 2;
  EXPECT_THAT(submit_shards(run, {1, 2, 5}),
              AllOf(Contains("--array=1-2,5"), Contains("--cpus-per-task=2"), Contains("--time=75"),
                    Contains("--job-name=esox-nightly--all-" + run.id),
                    Contains("--partition=main"), Contains("--parsable"),
                    Contains("--output=/a folder/50%%/cluster/" + run.id + "/shard-%a.log")));
  EXPECT_THAT(submit_merge(run, {"12", "14"}),
              AllOf(Contains("--dependency=afterany:12:14"), Contains("--partition=main")));
}

TEST(Slurm, ItsJobsKeepTheNameThatTheQueueIsAskedFor) {
  ClusterRun run = run_in("/out");
  run.submit = {"--job-name=mine"};
  const std::vector<std::string> words = submit_shards(run, {1});
  const auto last = std::find_if(words.rbegin(), words.rend(), [](const std::string& word) {
    return word.starts_with("--job-name=");
  });
  EXPECT_EQ(*last, "--job-name=esox-nightly-" + run.id);
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
    write_program(run_.esox, "printf '%s\\n' \"$@\" >\"$(dirname \"$0\")/told\"\n" + more +
                                 "\nexit " + std::to_string(status) + "\n");
  }
  int shard(unsigned number) const {
    return run_by_shell("SLURM_ARRAY_TASK_ID=" + std::to_string(number) + " bash " +
                        shell_word((run_.folder() / "shard.sh").string()));
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
  EXPECT_EQ(shard(3), 0);
  EXPECT_THAT(told(), ElementsAre("night", run_.file.string(), "--seed", "7", "--campaign", run_.id,
                                  "--shard", "3/5", "--out", (run_.out / "shards/3").string()));
  EXPECT_THAT(ended_shards(run_), ElementsAre(3u));
  EXPECT_FALSE(fs::exists("hacked"));
}

TEST_F(Scripts, AShardThatFoundSomethingHasEndedOneThatFailedHasNot) {
  say(1);
  EXPECT_EQ(shard(1), 0);
  say(3);
  EXPECT_EQ(shard(2), 3);
  EXPECT_THAT(ended_shards(run_), ElementsAre(1u));
}

TEST_F(Scripts, AShardThatWasToldToStopHasNotEndedHoweverTidilyItStopped) {
  say(0, "kill -TERM $PPID");
  EXPECT_EQ(shard(4), 143);
  EXPECT_THAT(ended_shards(run_), IsEmpty());
}

TEST_F(Scripts, TheMergeTakesTheShardsThatAreThere) {
  fs::create_directories(run_.out / "shards/1");
  fs::create_directories(run_.out / "shards/5");
  EXPECT_EQ(run_by_shell("bash " + shell_word((run_.folder() / "merge.sh").string())), 0);
  EXPECT_THAT(told(), ElementsAre("merge", "--json=" + (run_.folder() / "merge.json").string(),
                                  run_.out.string(), "shards/1/", "shards/5/"));
}

TEST_F(Scripts, ARunIsReadBackAsItWasWritten) {
  run_.minutes = 5;
  write_run(run_);
  const ClusterRun back = read_run(run_.out, "");
  EXPECT_EQ(back.id, run_.id);
  EXPECT_EQ(back.file, run_.file);
  EXPECT_EQ(back.seed, 7u);
  EXPECT_EQ(back.submit, run_.submit);
  std::ofstream(run_.folder() / "run.json") << "{\"format\": 2, \"run\":";
  EXPECT_THROW(read_run(run_.out, ""), ClusterError);
  EXPECT_THROW(read_run(run_.out, "none"), ClusterError);
  EXPECT_THROW(read_run(folder_.path(), ""), ClusterError);
}

}  // namespace
}  // namespace esox
