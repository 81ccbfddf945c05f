// SPDX-License-Identifier: Apache-2.0
// The parts of a night that need no server.
#include <fmt/ranges.h>
#include <gmock/gmock.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "base/process/private_directory.h"
#include "base/text/input_error.h"
#include "harness/nights/hunt_file/hunt_file_reader.h"
#include "harness/nights/night/hook.h"
#include "harness/nights/night/night_clock.h"
#include "harness/nights/night/night_lock.h"
#include "harness/nights/night/night_log.h"
#include "harness/nights/night/night_report.h"
#include "harness/nights/night/night_store.h"
#include "harness/nights/night/retention.h"
#include "harness/nights/night/stage_account.h"
#include "harness/nights/night/stage_plan.h"
#include "harness/nights/night/stages.h"
#include "harness/records/out_folder.h"

namespace esox {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;
using namespace std::chrono_literals;

class Night : public testing::Test {
 protected:
  fs::path folder() const { return folder_.path(); }
  void write(const fs::path& file, const std::string& text = "x") const {
    fs::create_directories((folder() / file).parent_path());
    std::ofstream(folder() / file) << text;
  }
  std::string read(const fs::path& file) const {
    std::ifstream stream(folder() / file);
    std::stringstream text;
    text << stream.rdbuf();
    return text.str();
  }
  bool there(const fs::path& file) const { return fs::exists(fs::symlink_status(folder() / file)); }
  std::vector<json> log_lines() const {
    std::istringstream lines(read("log.jsonl"));
    std::vector<json> all;
    for (std::string line; std::getline(lines, line);) all.push_back(json::parse(line));
    return all;
  }
  PrivateDirectory folder_{temporary_base()};
};

HuntFile file_with(const std::string& more) {
  return parse_hunt_file(
      "budget: 1h\nservers:\n  - {name: a, path: x}\n  - {name: b, path: y, "
      "share: 3}\n" +
          more,
      "/hunts/nightly.yaml");
}

// ---- stages

TEST(Stages, AreServersTimesRowsTimesCorporaTimesStrategies) {
  const auto stages = stages_of(
      file_with("options: [{name: o}, {name: p}]\nstrategies: [portfolio, \"pct:d=3\"]\n"), 0);
  ASSERT_THAT(stages, SizeIs(8));
  std::set<std::string> names;
  double sum = 0;
  for (const Stage& stage : stages) {
    names.insert(stage.name);
    sum += stage.share;
  }
  EXPECT_THAT(names, SizeIs(8));
  EXPECT_THAT(names, testing::Contains("b-p-shipped-pct_d_3"));
  EXPECT_NEAR(sum, 1, 1e-9);
}

TEST(Stages, HaveTheShareOfTheirParts) {
  const auto stages = stages_of(file_with(""), 0);
  EXPECT_NEAR(stages[1].share, 3 * stages[0].share, 1e-9);
}

TEST(Stages, BeginWithAnotherOneEachNight) {
  const HuntFile file = file_with("");
  EXPECT_NE(stages_of(file, 1)[0].name, stages_of(file, 2)[0].name);
  EXPECT_EQ(stages_of(file, 1)[0].name, stages_of(file, 3)[0].name);
}

TEST(Stages, RunOnTheEnginesThatFileRowAndCorpusHaveInCommon) {
  const auto stages = stages_of(file_with("engines: [InnoDB, Aria]\noptions: [{name: o, engines: "
                                          "[Aria, MyISAM]}, {name: p, engines: [MEMORY]}]\n"),
                                0);
  EXPECT_THAT(stages[0].engines, ElementsAre("Aria"));
  EXPECT_TRUE(stages[1].no_engine_fits);
  EXPECT_THROW(plan_stage(file_with(""), stages[1], 1, nullptr), InputError);
}

TEST(Stages, MakeInputsOnceWhateverTheStrategies) {
  const HuntFile file = file_with(
      "corpora: [{name: made, generate: shipped}, {name: c, inputs: shipped}]\n"
      "strategies: [portfolio, \"pct:d=3\"]\nfilters: none\nseed: 5\n");
  const auto stages = stages_of(file, 0);
  const auto makes = [](const Stage& stage) { return stage.corpus.grammar.has_value(); };
  EXPECT_EQ(std::count_if(stages.begin(), stages.end(), makes), 2);  // servers
  const Stage& stage = *std::find_if(stages.begin(), stages.end(), makes);
  StagePlan plan;
  plan.program = "/x/mariadbd";
  StageLaunch launch;
  launch.folder = "/out/made";
  launch.learn_from = "/out/last";
  launch.seed = 5;
  launch.hunt_s = 60;
  const std::vector<std::string> arguments = generate_arguments(file, stage, plan, launch);
  const std::string line = fmt::format("{}", fmt::join(arguments, " "));
  EXPECT_THAT(line, testing::StartsWith("generate --to /out/made --from /out/last --budget 60s"));
  EXPECT_THAT(line, testing::HasSubstr("--server /x/mariadbd"));
  EXPECT_THAT(line, testing::HasSubstr("--seed 5"));
  EXPECT_THAT(line, testing::HasSubstr("--no-filters"));
  EXPECT_THAT(line, testing::Not(testing::HasSubstr("--grammar")));
}

// ---- the clock

TEST(NightClock, CountsOnAndNeverBackWhateverTheClockDoes) {
  double now = 100;
  NightClock clock(50, [&] { return now; });
  EXPECT_EQ(clock.spent_s(), 50);
  now = 110;
  EXPECT_EQ(clock.spent_s(), 60);
  now = 10;
  EXPECT_EQ(clock.spent_s(), 60);
  now = 15;
  EXPECT_EQ(clock.spent_s(), 65);
}

TEST(NightClock, DoesNotFollowTheWallClock) {
  const double before = boot_seconds();
  usleep(2000);
  EXPECT_GT(boot_seconds(), before);
}

// ---- the log

TEST_F(Night, TheLogHasAnObjectALine) {
  NightLog log(folder() / "log.jsonl", [] { return 1.5; });
  log.write("night begun");
  log.write_through("stage begun", "a", {{"inputs", 3}, {"text", "two\nlines \xff"}});
  const auto lines = log_lines();
  ASSERT_THAT(lines, SizeIs(2));
  EXPECT_EQ(lines[1]["stage"], "a");
  EXPECT_EQ(lines[1]["inputs"], 3);
  EXPECT_EQ(lines[1]["s"], 1.5);
}

TEST_F(Night, ALogLineThatWasTornIsCutOffAndTold) {
  write("log.jsonl", "{\"event\":\"whole\"}\n{\"event\":\"to");
  NightLog log(folder() / "log.jsonl", [] { return 0.0; });
  log.write("after");
  const auto lines = log_lines();
  ASSERT_THAT(lines, SizeIs(3));
  EXPECT_EQ(lines[0]["event"], "whole");
  EXPECT_EQ(lines[1]["event"], "log mended");
  EXPECT_EQ(lines[1]["bytes_cut_off"], 12);
  EXPECT_EQ(lines[2]["event"], "after");
}

// ---- the lock

TEST_F(Night, ASecondOneInTheSameFolderIsToldWhomItMet) {
  int ready[2];
  ASSERT_EQ(pipe(ready), 0);
  const pid_t holder = fork();
  if (holder == 0) {
    const NightLock lock(folder());
    (void)!::write(ready[1], "x", 1);
    pause();
    _exit(0);
  }
  char byte = 0;
  ASSERT_EQ(::read(ready[0], &byte, 1), 1);
  try {
    const NightLock lock(folder());
    ADD_FAILURE() << "two at a time";
  } catch (const OutError& error) {
    EXPECT_THAT(error.what(), HasSubstr("process " + std::to_string(holder)));
  }
  kill(holder, SIGKILL);
  waitpid(holder, nullptr, 0);
  EXPECT_NO_THROW(NightLock{folder()});
  close(ready[0]);
  close(ready[1]);
}

// ---- nights.db

StoredNight night_at(const std::string& started) {
  StoredNight night;
  night.started = started;
  night.text = "servers:\n";
  night.seed = 7;
  return night;
}

TEST_F(Night, TheStoreKnowsHowFarANightIs) {
  StoredNight night = night_at("2026-11-22T02:00:00Z");
  {
    NightStore store(folder());
    EXPECT_FALSE(store.last_night());
    store.begin_night(night, {"b", "a"});
    EXPECT_EQ(night.number, 1U);
    EXPECT_EQ(night.id, "2026-11-22T02-00-00Z");
    night.seconds = 12.5;
    night.rechecked = true;
    store.keep_night(night);
    auto stages = store.stages(1);
    ASSERT_THAT(stages, SizeIs(2));
    EXPECT_EQ(stages[0].name, "b");
    stages[0].state = StageState::kBegun;
    stages[0].attempt = 2;
    store.keep_stage(1, stages[0]);
  }
  NightStore store(folder());
  const auto last = store.last_night();
  ASSERT_TRUE(last);
  EXPECT_EQ(last->seconds, 12.5);
  EXPECT_EQ(last->seed, 7U);
  EXPECT_TRUE(last->rechecked);
  EXPECT_EQ(last->state, NightState::kOpen);
  EXPECT_EQ(store.stages(1)[0].state, StageState::kBegun);
  EXPECT_EQ(store.stages(1)[0].attempt, 2U);
}

TEST_F(Night, IdsSortByTheOrderOfNightsThoughTheClockWasMovedBack) {
  NightStore store(folder());
  std::string before;
  for (const char* at : {"2026-11-22T02:00:00Z", "2026-11-22T02:00:00Z", "2025-01-01T00:00:00Z",
                         "2025-01-01T00:00:00Z", "2026-11-23T02:00:00Z"}) {
    StoredNight night = night_at(at);
    store.begin_night(night, {"a"});
    EXPECT_GT(night.id, before);
    before = night.id;
  }
  EXPECT_EQ(before, "2026-11-23T02-00-00Z");
  EXPECT_THAT(store.night_ids(), SizeIs(5));
}

TEST_F(Night, TheStoreKnowsWhoseTurnItWas) {
  NightStore store(folder());
  store.take_turns(3, "stage",
                   {{{"x", "Aria"}, TurnYield::kFertile}, {{"y", ""}, TurnYield::kSome}});
  store.take_turns(4, "stage", {{{"y", ""}, TurnYield::kSaturated}});
  const auto turns = store.turns("stage");
  EXPECT_EQ(turns.at({"x", "Aria"}).last_night, 3U);
  EXPECT_EQ(turns.at({"x", "Aria"}).yield, TurnYield::kFertile);
  EXPECT_EQ(turns.at({"y", ""}).last_night, 4U);
  EXPECT_EQ(turns.at({"y", ""}).yield, TurnYield::kSaturated);
  EXPECT_THAT(store.turns("other"), IsEmpty());
}

TEST_F(Night, TheReachIsTheLeastOfTheLastNights) {
  NightStore store(folder());
  EXPECT_FALSE(store.reach("a"));
  for (const uint64_t reached : {5, 30, 20, 25}) {
    StoredNight night = night_at("2026-11-22T02:00:00Z");
    store.begin_night(night, {"a"});
    store.keep_reach(night.number, "a", reached, false);
  }
  EXPECT_EQ(store.reach("a"), 20U);
}

// ---- accounts

StagePlan plan_of(const std::vector<std::string>& inputs) {
  StagePlan plan;
  for (const std::string& id : inputs) plan.ranking.push_back({id, "Aria"});
  return plan;
}

InputFigures had(const std::string& id, uint64_t executions, const std::string& yield) {
  InputFigures figures;
  figures.input = id;
  figures.engine = "Aria";
  figures.executions = executions;
  figures.yield = yield;
  return figures;
}

TEST(StageAccount, SaysWhyOfEachInputThatHadNotAll) {
  HuntReport hunt;
  hunt.executions_each = 100;
  hunt.figures = {had("all", 100, "some"), had("some", 50, "some"), had("dry", 25, "saturated"),
                  had("never", 0, "")};
  hunt.skipped = {{{"broken", "Aria", ""}, "its setup fails: no table"}};
  StagePlan plan = plan_of({"all", "broken", "some", "dry", "never"});
  plan.not_now.push_back({"rested", "Aria", "rests"});
  std::map<std::string, std::string> why;
  for (const NotDone& one : not_done(plan, &hunt)) why[one.input] = one.why;
  EXPECT_THAT(why, SizeIs(5));
  EXPECT_EQ(why["broken"], "its setup fails: no table");
  EXPECT_THAT(why["some"], HasSubstr("50 of 100 executions: the time was over"));
  EXPECT_THAT(why["dry"], HasSubstr("nothing new"));
  EXPECT_THAT(why["never"], HasSubstr("comes first in the next night"));
  EXPECT_EQ(why["rested"], "rests");
}

TEST(StageAccount, TakesTheTurnsOfThoseReachedAndMeasuresTheReachFromTheFront) {
  HuntReport hunt;
  hunt.figures = {had("a", 25, "fertile"), had("c", 0, ""), had("d", 25, "some")};
  hunt.skipped = {{{"b", "Aria", ""}, "its setup fails"}};
  const TurnsTaken taken = turns_taken(plan_of({"a", "b", "c", "d"}), hunt);
  ASSERT_THAT(taken.turns, SizeIs(3));
  EXPECT_EQ(taken.turns[0].yield, TurnYield::kFertile);
  EXPECT_EQ(taken.turns[1].yield, TurnYield::kSaturated);
  EXPECT_EQ(taken.reach, 2U);
  EXPECT_FALSE(taken.all);
}

TEST(StageAccount, IsShortenedToWhatFitsIntoAReport) {
  const auto list = shortened(std::vector<NotDone>(5000, {"x", "Aria", "why"}));
  ASSERT_THAT(list, SizeIs(kMostNotDone));
  EXPECT_EQ(list.back().input, "4801 more");
}

TEST_F(Night, AReportIsRecalledFromItsFile) {
  NightReport night;
  night.id = "n";
  night.missing = {"something"};
  StageReport stage;
  stage.name = "a";
  stage.executions = 12;
  stage.time = {1, 2, 3};
  stage.not_done = {{"x", "Aria", "why"}};
  night.stages = {stage};
  write("night.json", night_json(night));
  NightReport recalled;
  recalled.id = "n";
  recalled.stages.resize(1);
  recalled.stages[0].name = "a";
  recall_night(recalled, folder() / "night.json");
  EXPECT_EQ(recalled.stages[0].executions, 12U);
  EXPECT_EQ(recalled.stages[0].time.preparing_s, 2);
  EXPECT_THAT(recalled.stages[0].not_done, SizeIs(1));
  EXPECT_THAT(recalled.missing, ElementsAre("something"));
  write("night.json", night_json(night).substr(0, 200));
  NightReport torn;
  torn.id = "n";
  recall_night(torn, folder() / "night.json");
  EXPECT_THAT(torn.missing, IsEmpty());
}

// ---- retention

class Retained : public Night {
 protected:
  void SetUp() override {
    for (const std::string& id : ids_) {
      for (const char* file :
           {"night.json", "summary.txt", "log.jsonl", "stage.log", "stage/hunt.db",
            "stage/hunt.json", "stage/report.html", "stage/findings/f/finding.yaml"}) {
        write(fs::path("nights") / id / file, std::string(1000, 'x'));
      }
    }
  }
  bool whole(size_t i) const { return there(fs::path("nights") / ids_[i] / "stage/hunt.db"); }
  bool findings_are_there() const {
    for (const std::string& id : ids_) {
      const fs::path night = fs::path("nights") / id;
      if (!there(night / "stage/findings/f/finding.yaml") || !there(night / "night.json") ||
          !there(night / "summary.txt")) {
        return false;
      }
    }
    return true;
  }
  // The newest first.
  std::vector<std::string> ids_ = {"2026-11-04T02-00-00Z", "2026-11-03T02-00-00Z",
                                   "2026-11-02T02-00-00Z", "2026-11-01T02-00-00Z"};
};

TEST_F(Retained, OldNightsLoseAllButFindingsAndSummaries) {
  Retention policy;
  policy.nights = 2;
  const Pruned pruned = prune_nights(folder(), ids_, policy, 1);
  EXPECT_THAT(pruned.nights, ElementsAre(ids_[2], ids_[3]));
  EXPECT_THAT(pruned.trouble, IsEmpty());
  EXPECT_TRUE(whole(0) && whole(1));
  EXPECT_FALSE(whole(2) || whole(3));
  EXPECT_FALSE(there(fs::path("nights") / ids_[2] / "log.jsonl"));
  EXPECT_TRUE(findings_are_there());
  EXPECT_THAT(prune_nights(folder(), ids_, policy, 1).nights, IsEmpty());
}

TEST_F(Retained, TheOldestGoUntilTheSpaceIsKept) {
  Retention policy;
  policy.bytes = 27'000;  // of 32 000; a pruned night gives 5 000 back
  EXPECT_THAT(prune_nights(folder(), ids_, policy, 1).nights, ElementsAre(ids_[3]));
  policy.bytes = 1;
  prune_nights(folder(), ids_, policy, 1);
  EXPECT_TRUE(whole(0)) << "tonight's";
  EXPECT_FALSE(whole(1) || whole(2) || whole(3));
  EXPECT_TRUE(findings_are_there());
}

TEST_F(Retained, NothingOutsideIsTouchedThoughLinksLeadThere) {
  write("elsewhere/precious");
  write("elsewhere/stage/precious");
  const fs::path nights = folder() / "nights";
  fs::remove_all(nights / ids_[3]);
  fs::create_directory_symlink(folder() / "elsewhere", nights / ids_[3]);
  fs::create_directory_symlink(folder() / "elsewhere", nights / ids_[2] / "linked");
  fs::create_directory_symlink(folder() / "elsewhere", nights / ids_[2] / "stage" / "linked");
  std::vector<std::string> ids = ids_;
  ids.insert(ids.end(), {"..", "../elsewhere", "2026/../../elsewhere....", ""});
  Retention policy;
  policy.nights = 1;
  prune_nights(folder(), ids, policy, 1);
  EXPECT_TRUE(there("elsewhere/precious"));
  EXPECT_TRUE(there("elsewhere/stage/precious"));
  EXPECT_TRUE(there(fs::path("nights") / ids_[3]));
  EXPECT_FALSE(there(fs::path("nights") / ids_[2] / "linked"));
}

// ---- the hook

TEST_F(Night, TheHookIsToldByItsEnvironment) {
  const HookResult hook =
      run_hook("echo \"$ESOX_NIGHT in $PWD\" >told", 10s, folder(), {"ESOX_NIGHT=n1"});
  EXPECT_TRUE(hook.ran);
  EXPECT_EQ(hook.trouble, "");
  EXPECT_EQ(read("told"), "n1 in " + folder().string() + "\n");
}

TEST_F(Night, AHookThatFailsIsTold) {
  const HookResult hook = run_hook("echo no mail today >&2; exit 3", 10s, folder(), {});
  EXPECT_EQ(hook.trouble, "exit status 3: no mail today");
}

TEST_F(Night, AHookThatDoesNotEndIsKilledWithAllItStarted) {
  const HookResult hook = run_hook("sleep 1000 & echo $! >child; wait", 300ms, folder(), {});
  EXPECT_THAT(hook.trouble, HasSubstr("killed"));
  const pid_t child = std::stoi(read("child"));
  for (int i = 0; i < 100 && kill(child, 0) == 0; ++i) usleep(20'000);
  // Gone, or a zombie that nobody waits for in this container.
  std::ifstream stat("/proc/" + std::to_string(child) + "/stat");
  std::string line;
  std::getline(stat, line);
  EXPECT_TRUE(line.empty() || line.find(") Z") != std::string::npos) << line;
}

}  // namespace
}  // namespace esox
