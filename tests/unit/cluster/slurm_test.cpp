// SPDX-License-Identifier: Apache-2.0
// The script, run by bash with programs in the place of Slurm's and of esox. A real Slurm runs it
// in tests/slurm.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <sstream>

#include "base/process/private_directory.h"
#include "base/text/shell_words.h"
#include "harness/nights/cluster/cluster_night.h"

namespace esox {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

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
  fs::create_directories(file.parent_path());
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

class SlurmScript : public testing::Test {
 protected:
  SlurmScript() {
    night_.file.name = "nightly, (MariaDB)";
    night_.file.file = folder_.path() / "it's a $(touch hacked) \"file\".yaml";
    night_.file.out = folder_.path() / "it's 50% out";
    night_.run = "2030-01-01T02-00-00Z";
    night_.esox = folder_.path() / "the esox";
    night_.shards = 5;
    night_.seed = 7;
    write_script();
    queue("");
    write_program(folder_.path() / "bin/sbatch",
                  "printf '%s\\n' \"$@\" >>\"$0.told\"; echo 'sbatch: a warning' >&2\n"
                  "[[ $* = *-merge* ]] && echo '21' || echo '20;cluster'\n");
    esox_says(0);
  }
  void write_script() {
    std::ofstream(folder_.path() / "night.sh") << cluster_text(kSlurmScript, night_);
  }
  void queue(const std::string& lines) {
    write_program(folder_.path() / "bin/squeue",
                  "[ -z \"${SQUEUE_STATES-}\" ] || exit 1\n"
                  "printf '%s\\n' \"$@\" >\"$0.told\"\ncat <<END\n" +
                      lines + "END\n");
  }
  void esox_says(int status, const std::string& more = "") {
    write_program(night_.esox, "printf '%s\\n' \"$@\" >\"${0%/*}/told\"\n" + more + "\nexit " +
                                   std::to_string(status) + "\n");
  }
  // Its exit status; said() has what it says.
  int script(const std::string& words, const std::string& variables = "") {
    return run_by_shell("cd " + folder_.path().string() +
                        " && PATH=" + (folder_.path() / "bin").string() + ":$PATH " + variables +
                        " bash night.sh " + words + " >said 2>&1");
  }
  int shard(unsigned number) {
    return script("shard", "SLURM_ARRAY_TASK_ID=" + std::to_string(number));
  }
  std::string said() const { return text_of(folder_.path() / "said"); }
  std::vector<std::string> told(const std::string& program) const {
    std::ifstream file(folder_.path() / (program + "told"));
    std::vector<std::string> lines;
    for (std::string line; std::getline(file, line);) lines.push_back(line);
    return lines;
  }
  fs::path run_folder() const { return night_.file.out / "cluster" / night_.run; }
  bool ended(unsigned number) const {
    return fs::exists(run_folder() / "ended" / std::to_string(number));
  }
  void end(unsigned number) { std::ofstream(run_folder() / "ended" / std::to_string(number)); }

  PrivateDirectory folder_{temporary_base()};
  ClusterNight night_;
};

const std::string kName = "esox-nightly-mariadb-2030-01-01t02-00-00z";

TEST_F(SlurmScript, SubmitsAllShardsAndAMergeBehindThem) {
  night_.file.budget.time = std::chrono::minutes(44);
  night_.file.limits.grace = std::chrono::seconds(30);
  night_.file.jobs = 2;
  write_script();
  EXPECT_EQ(script("--partition=long --job-name=mine"), 0);
  const std::string log = run_folder().string();
  std::string logs = log;
  logs.replace(logs.find('%'), 1, "%%");
  EXPECT_THAT(
      told("bin/sbatch."),
      ElementsAre("--parsable", "--nodes=1", "--ntasks=1", "--open-mode=append",
                  "--output=" + logs + "/shard-%a.log", "--requeue", "--array=1,2,3,4,5",
                  "--cpus-per-task=2", "--time=75", "--partition=long", "--job-name=mine",
                  "--job-name=" + kName, "night.sh", "shard",  //
                  "--parsable", "--nodes=1", "--ntasks=1", "--open-mode=append",
                  "--output=" + logs + "/merge.log", "--dependency=afterany:20", "--partition=long",
                  "--job-name=mine", "--job-name=" + kName + "-merge", "night.sh", "merge"));
  EXPECT_THAT(said(), HasSubstr("submitted as job 20: 1,2,3,4,5; the merge as 21"));
}

TEST_F(SlurmScript, AShardIsLostIfItNeitherEndedNorIsUnderWay) {
  ASSERT_EQ(script(""), 0);
  queue("12 1 RUNNING\n14 2 PENDING\n12 4 COMPLETING\n13 N/A PENDING\nnonsense\n\n");
  end(4);
  EXPECT_EQ(script("status", "SQUEUE_STATES=running"), 1);
  EXPECT_EQ(said(), "lost: 3,5\nrunning: 1\nwaiting: 2\nended: 4\nnot merged yet\nlogs: " +
                        run_folder().string() + "/shard-N.log\n")
      << "its own mark counts, not the queue";
  EXPECT_THAT(told("bin/squeue."),
              ElementsAre("--array", "--noheader", "--format=%F %K %T", "--name=" + kName));
  for (const unsigned one : {1, 2, 3, 5}) end(one);
  queue("");
  std::ofstream(run_folder() / "merge.json") << "{}\n";
  EXPECT_EQ(script("status"), 0) << "what ended, ended, though Slurm has forgotten it";
  EXPECT_THAT(said(), HasSubstr("merged into " + night_.file.out.string() + "/findings.db"));
}

TEST_F(SlurmScript, SubmitsWhatIsLostAndAMergeBehindAllThatIsUnderWay) {
  ASSERT_EQ(script(""), 0);
  fs::remove(folder_.path() / "bin/sbatch.told");
  queue("12 1 RUNNING\n13 2 PENDING\n12 5 PENDING\n");
  end(3);
  std::ofstream(run_folder() / "merge.json") << "{}\n";
  EXPECT_EQ(script(""), 0);
  EXPECT_THAT(told("bin/sbatch."), testing::Contains("--array=4"));
  const std::string all = text_of(folder_.path() / "bin/sbatch.told");
  const size_t at = all.find("--dependency=afterany:");
  ASSERT_NE(at, std::string::npos);
  EXPECT_THAT(all.substr(at, all.find('\n', at) - at),
              AllOf(HasSubstr(":12"), HasSubstr(":13"), HasSubstr(":20")));
  EXPECT_FALSE(fs::exists(run_folder() / "merge.json")) << "not merged since then";
  queue("12 1 RUNNING\n13 2 PENDING\n20 4 PENDING\n12 5 PENDING\n");
  EXPECT_EQ(script(""), 0);
  EXPECT_EQ(said(), "nothing is lost: nothing was submitted\n");
}

TEST_F(SlurmScript, EndsWhenSlurmRefusesOrIsNotThere) {
  write_program(folder_.path() / "bin/sbatch",
                "echo 'sbatch: error: no such partition' >&2; exit 1");
  EXPECT_EQ(script(""), 2);
  EXPECT_EQ(said(), "sbatch: error: no such partition\n");
  write_program(folder_.path() / "bin/squeue", "exit 1");
  EXPECT_EQ(script(""), 2);
  EXPECT_EQ(script("status"), 2);
  fs::remove(folder_.path() / "bin/squeue");
  EXPECT_EQ(script("status"), 2);
  EXPECT_THAT(said(), HasSubstr("there is no Slurm here"));
}

TEST_F(SlurmScript, AShardHuntsItsPartIntoAFolderOfItsOwn) {
  ASSERT_EQ(script(""), 0);
  EXPECT_EQ(shard(3), 0);
  EXPECT_THAT(told(""), ElementsAre("night", night_.file.file.string(), "--seed", "7", "--campaign",
                                    night_.run, "--shard", "3/5", "--out",
                                    (night_.file.out / "shards/3").string()));
  EXPECT_TRUE(ended(3));
  EXPECT_FALSE(fs::exists(folder_.path() / "hacked"));
}

TEST_F(SlurmScript, AShardThatFoundSomethingHasEndedOneThatFailedHasNot) {
  ASSERT_EQ(script(""), 0);
  esox_says(1);
  EXPECT_EQ(shard(1), 0);
  EXPECT_TRUE(ended(1));
  esox_says(3);
  EXPECT_EQ(shard(2), 3);
  EXPECT_FALSE(ended(2));
}

TEST_F(SlurmScript, AShardThatWasToldToStopHasNotEndedHoweverTidilyItStopped) {
  ASSERT_EQ(script(""), 0);
  esox_says(0, "kill -TERM $PPID");
  EXPECT_EQ(shard(4), 143);
  EXPECT_FALSE(ended(4));
}

TEST_F(SlurmScript, TheMergeTakesTheShardsThatAreThere) {
  fs::create_directories(night_.file.out / "shards/1");
  fs::create_directories(night_.file.out / "shards/5");
  EXPECT_EQ(script("merge"), 0);
  EXPECT_THAT(told(""), ElementsAre("merge", "--json=" + (run_folder() / "merge.json").string(),
                                    night_.file.out.string(), "shards/1/", "shards/5/"));
}

}  // namespace
}  // namespace esox
