// SPDX-License-Identifier: Apache-2.0
// What a night asks of a hunt: an order of inputs, a first wave, figures for who watches, and
// workers that can be freed.
#include <gmock/gmock.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>

#include "base/process/private_directory.h"
#include "base/text/input_error.h"
#include "harness/engine/execution_meter.h"
#include "harness/records/hunt_progress.h"
#include "harness/search/input_ranking.h"
#include "harness/search/plan.h"

namespace esox {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using namespace std::chrono_literals;

class Watched : public testing::Test {
 protected:
  std::filesystem::path write(const std::string& name, const std::string& text) const {
    std::ofstream(folder_.path() / name) << text;
    return folder_.path() / name;
  }
  PrivateDirectory folder_{temporary_base()};
};

ConcreteInput input(const std::string& id, const std::string& engine,
                    const std::string& setting = "") {
  ConcreteInput one;
  one.input.id = id;
  one.engine = engine;
  one.setting = setting;
  return one;
}

std::vector<ConcreteInput> some() {
  return {input("a", "Aria"), input("a", "InnoDB"), input("b", ""), input("b", "", "row-log"),
          input("c", "Aria")};
}

std::vector<std::string> names(const std::vector<ConcreteInput>& inputs) {
  std::vector<std::string> names;
  for (const ConcreteInput& one : inputs) {
    names.push_back(one.input.id + "/" + one.engine + "/" + one.setting);
  }
  return names;
}

TEST_F(Watched, AnOrderNamesInputsEnginesAndSettings) {
  const auto file = write("order", "# first\n\nc\na InnoDB\nb - row-log\na\n");
  EXPECT_THAT(names(in_order(some(), file)),
              ElementsAre("c/Aria/", "a/InnoDB/", "b//row-log", "a/Aria/"));
}

TEST_F(Watched, AnOrderMayNameAnInputTwice) {
  EXPECT_THAT(names(in_order(some(), write("order", "a\na\na Aria\n"))),
              ElementsAre("a/Aria/", "a/InnoDB/"));
}

TEST_F(Watched, AnOrderIsRefusedWhereItNamesWhatIsNotThere) {
  const std::vector<std::pair<std::string, std::string>> bad = {
      {"a\nnone\n", "order:2: 'none' is none of this hunt's inputs"},
      {"a MyISAM\n", "order:1: 'a' on 'MyISAM'"},
      {"a Aria row-log\n", "under 'row-log'"},
      {"a Aria x y\n", "one word too many"},
      {"# nothing\n", "names no input"},
  };
  for (const auto& [text, part] : bad) {
    try {
      in_order(some(), write("order", text));
      ADD_FAILURE() << text;
    } catch (const InputError& error) {
      EXPECT_THAT(error.what(), HasSubstr(part));
    }
  }
}

TEST_F(Watched, ALineOfARankingNamesOneInputAlone) {
  for (const ConcreteInput& one : some()) {
    const auto order = parse_ranking(ranking_line(key_of(one)), "order");
    ASSERT_EQ(order.size(), 1U);
    EXPECT_EQ(order[0].input, one.input.id);
    EXPECT_EQ(order[0].setting, one.setting);
  }
  EXPECT_EQ(ranking_line({"b", "", ""}), "b -");
}

TEST_F(Watched, AWideWaveIsServedBeforeAnyoneHasMore) {
  Plan plan(100, 300, Share::kEqual, 80);
  for (size_t i = 0; i < 80; ++i) {
    const auto batch = plan.next();
    ASSERT_TRUE(batch);
    EXPECT_EQ(batch->exploration, i);
    plan.finished(*batch);
  }
}

TEST_F(Watched, TheProgressIsReadBackAndDamageIsNone) {
  EXPECT_FALSE(read_progress(folder_.path()));
  HuntProgress progress;
  progress.runs = 7;
  progress.executions = 5;
  progress.seconds = 1.5;
  write("progress.json", progress_json(progress));
  const auto read = read_progress(folder_.path());
  ASSERT_TRUE(read);
  EXPECT_EQ(read->runs, 7U);
  EXPECT_EQ(read->executions, 5U);
  EXPECT_EQ(read->seconds, 1.5);
  for (const char* damaged : {"", "{", "[]", "{\"runs\": \"many\"}", "{\"runs\": 7}"}) {
    write("progress.json", damaged);
    EXPECT_FALSE(read_progress(folder_.path())) << damaged;
  }
}

TEST_F(Watched, AMeterTellsPreparationFromExecution) {
  ExecutionMeter meter;
  {
    MeteredRun run(&meter);
    usleep(20'000);
    EXPECT_GT(meter.running_for(ExecutionMeter::Clock::now()), 10ms);
    run.succeeded(5);
  }
  EXPECT_EQ(meter.runs(), 1U);
  EXPECT_EQ(meter.running_for(ExecutionMeter::Clock::now()), 0ms);
  EXPECT_NEAR(meter.preparing_s(), 0.005, 1e-4);
  EXPECT_GT(meter.executing_s(), 0.01);
  const double executing_s = meter.executing_s();
  {
    const MeteredRun fails(&meter);
    usleep(5'000);
  }
  EXPECT_EQ(meter.executing_s(), executing_s);
  EXPECT_GT(meter.preparing_s(), 0.009);
}

TEST_F(Watched, AMeterKillsTheServerItWasToldOf) {
  ExecutionMeter meter;
  meter.kill_server();
  const pid_t child = fork();
  if (child == 0) {
    pause();
    _exit(0);
  }
  const int pidfd = static_cast<int>(syscall(SYS_pidfd_open, child, 0));
  ASSERT_GE(pidfd, 0);
  meter.set_server(pidfd);
  close(pidfd);
  meter.kill_server();
  int status = 0;
  EXPECT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFSIGNALED(status));
  meter.kill_server();
}

}  // namespace
}  // namespace esox
