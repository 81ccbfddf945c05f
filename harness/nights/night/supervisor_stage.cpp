// SPDX-License-Identifier: Apache-2.0
// How the supervisor hunts one stage: launch after launch, until it is done, its time is over, or
// another one would not help.
#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <system_error>

#include "base/process/log_file.h"
#include "base/process/paths.h"
#include "base/process/server_error.h"
#include "base/text/counted.h"
#include "base/yaml/file_text.h"
#include "harness/import/corpus_reader.h"
#include "harness/nights/night/stage_account.h"
#include "harness/nights/night/stage_process.h"
#include "harness/nights/night/supervisor.h"
#include "harness/records/hunt_progress.h"
#include "harness/records/hunt_state.h"
#include "harness/records/out_folder.h"
#include "harness/records/progress.h"
#include "harness/records/reports/hunt_reader.h"
#include "harness/records/reports/report_error.h"
#include "harness/search/input_ranking.h"

namespace esox {

// A stage under way, as the supervisor knows it.
struct SupervisedStage {
  const Stage& stage;
  NightStage& state;
  StageReport& report;
  StagePlan plan;
  std::filesystem::path ranking_file;
  double end_s = 0;          // in the night's seconds, when its time is over; 0: it has all
  uint64_t fruitless = 0;    // launches in a row that failed without a run
  uint64_t over_memory = 0;  // launches with one job that took too much
  bool begun_anew = false;   // its hunt could not be gone on with
};

namespace {

namespace fs = std::filesystem;
using std::chrono::milliseconds;

// A stage of which so many launches in a row failed without a single run is begun anew, and after
// as many again given up.
constexpr uint64_t kMostFruitless = 3;
constexpr uint64_t kMostKilled = 10;  // the same, if it was killed: by whom, who knows
constexpr uint64_t kMostOverMemory = 3;
constexpr double kLongestPause_s = 30;
constexpr int kMostLooks = 10;
constexpr double kLeastLaunch_s = 1;
// Of a stage's time, at most these parts for what comes after the executions and around them.
constexpr double kDiagnoseShare = 5;
constexpr double kMarginShare = 10;
constexpr double kMostMargin_s = 5;

// What was planned in an earlier launch, or before the stage's turns were taken.
void use_order_file(StagePlan& plan, const fs::path& file) {
  std::vector<StageInput> spec;
  std::set<TurnKey> ordered;
  try {
    for (const RankingLine& one :
         parse_ranking(file_text(file, kMaxRankingBytes, "an order"), file.string())) {
      spec.push_back({one.input, one.engine == "-" ? "" : one.engine});
      ordered.insert({spec.back().input, spec.back().engine});
    }
  } catch (const InputError&) {
    return;  // cut off by a full disk: it is written again
  }
  for (const StageInput& one : plan.ranking) {
    if (ordered.contains({one.input, one.engine})) continue;
    plan.not_now.push_back({one.input, one.engine, "not planned tonight: it rests"});
  }
  std::erase_if(plan.not_now, [&](const NotDone& one) {
    return ordered.contains({one.input, one.engine});
  });
  plan.ranking = std::move(spec);
}

// Why a hunt's process ended, in its own words.
std::string words_of(const StageEnd& end, const fs::path& log) {
  if (end.status.signal != 0) return text_of(end.status);
  const std::string said = tail_of(log, 1);
  return said.empty() ? text_of(end.status) : said;
}

}  // namespace

fs::path Supervisor::stage_folder(const NightStage& stage) const {
  return folder_ /
         (stage.attempt == 1 ? stage.name : fmt::format("{}.{}", stage.name, stage.attempt));
}

void Supervisor::hunt_stage(size_t index, double time_s) {
  SupervisedStage going{stages_[index], states_[index], report_.stages[index]};
  const double before_s = clock_.spent_s();
  going.end_s = time_s > 0 ? before_s + time_s : 0;
  if (time_s > 0) {
    const double had_s = leftovers_ ? going.state.budget_s : going.state.seconds;
    going.state.budget_s = had_s + time_s;
  }
  going.report.budget_s = going.state.budget_s;
  going.state.state = StageState::kBegun;
  going.state.failure.clear();
  say_(fmt::format("stage {} of {}, {}{}", index + 1, stages_.size(), going.stage.name,
                   time_s > 0 ? ": " + duration_text(time_s) : ""));
  try {
    prepare(going);
    if (time_s == kNoTime) {
      record(going.report.folder);
    } else {
      keep_going(going);
    }
  } catch (const std::runtime_error& error) {
    // Of the stage alone: no server, no input, no log.
    fail(going, error.what());
  }
  going.report.seconds = going.state.seconds;
  if (stop_.load()) {
    account(going, false);
    return save();
  }
  if (going.state.state == StageState::kBegun) going.state.state = StageState::kEnded;
  account(going, !leftovers_);
  keep("nights.db", [&] { store_.keep_stage(night_.number, going.state); });
  log_->write_through("stage ended", going.stage.name,
                      {{"seconds", going.state.seconds},
                       {"executions", going.report.executions},
                       {"findings", going.report.findings},
                       {"inputs_reached", going.report.inputs_reached},
                       {"failure", going.state.failure}});
  say_(fmt::format("{}: {} of {} inputs, {} executions, {} in {}", going.stage.name,
                   going.report.inputs_reached, going.report.inputs_planned,
                   going.report.executions, counted(going.report.findings, "finding"),
                   duration_text(going.state.seconds)));
  save();
}

void Supervisor::prepare(SupervisedStage& going) {
  going.plan = plan_stage(spec_.file, going.stage, night_.number, &store_);
  going.ranking_file = folder_ / (going.stage.name + ".ranking");
  use_order_file(going.plan, going.ranking_file);
  going.report.server_path = going.plan.program;
  going.report.inputs_planned = going.plan.ranking.size();
  report_.nights_until_all = std::max(report_.nights_until_all, going.plan.nights_until_all);
  log_->write_through("stage begun", going.stage.name,
                      {{"seconds", going.end_s > 0 ? going.end_s - clock_.spent_s() : 0},
                       {"inputs_planned", going.plan.ranking.size()},
                       {"inputs", going.plan.inputs},
                       {"server", going.plan.program},
                       {"nights_until_all", going.plan.nights_until_all}});
}

void Supervisor::keep_going(SupervisedStage& going) {
  for (bool again = true; again && !stop_.load();) {
    if (!wait_for_space(going.end_s)) {
      if (stop_.load()) return;
      return fail(going, "the disk was full until its time was over");
    }
    if (going.end_s > 0 && going.end_s - clock_.spent_s() < kLeastLaunch_s) return;
    choose_folder(going);
    save();
    const double before_s = clock_.spent_s();
    const double had_s = going.state.seconds;
    const StageEnd end = sit(going);
    going.state.seconds = had_s + clock_.spent_s() - before_s;
    going.report.seconds = going.state.seconds;
    again = after(going, end);
  }
}

// A hunt that was ended before it began, or whose memory is damaged, is begun in a new folder; what
// it found stays.
void Supervisor::choose_folder(SupervisedStage& going) {
  std::error_code error;
  for (;; ++going.state.attempt) {
    going.report.folder = stage_folder(going.state);
    if (!is_there(going.report.folder)) return;
    // What was made is whole, wherever that was ended.
    if (going.stage.corpus.grammar && is_corpus(going.report.folder)) return;
    HuntInFolder hunt = hunt_in(going.report.folder);
    // One whose night was killed just now is still ending.
    for (int i = 0; i < kMostLooks && hunt == HuntInFolder::kAtWork && !stop_.load(); ++i) {
      pause(1, going.end_s);
      hunt = hunt_in(going.report.folder);
    }
    if (hunt != HuntInFolder::kNone) return;
    if (fs::is_empty(going.report.folder, error)) return;
    log_->write("stage begun anew", going.stage.name,
                {{"why", "its hunt had not begun, or its memory is damaged"},
                 {"left", going.report.folder.string()}});
  }
}

fs::path Supervisor::learn_from(const Stage& stage) {
  if (!spec_.file.remember) return {};
  for (const auto& [id, attempt] : store_.earlier_folders(night_.number, stage.name)) {
    NightStage earlier;
    earlier.name = stage.name;
    earlier.attempt = attempt;
    fs::path folder = spec_.file.out / "nights" / id / stage_folder(earlier).filename();
    const HuntInFolder hunt = hunt_in(folder);
    if (hunt == HuntInFolder::kUnfinished || hunt == HuntInFolder::kEnded) return folder;
  }
  return {};
}

StageEnd Supervisor::sit(SupervisedStage& going) {
  StageLaunch launch;
  launch.folder = going.report.folder;
  launch.ranking_file = going.ranking_file;
  launch.seed = night_.seed;
  launch.jobs = going.state.jobs != 0 ? going.state.jobs : spec_.file.jobs;
  const double left_s = going.end_s > 0 ? going.end_s - clock_.spent_s() : 0;
  launch.diagnose_s = seconds(spec_.file.diagnose_budget);
  const bool makes = going.stage.corpus.grammar.has_value();
  const bool goes_on = !makes && hunt_in(launch.folder) == HuntInFolder::kUnfinished;
  if (makes) launch.diagnose_s = 0;
  if (going.end_s > 0) {
    launch.diagnose_s = std::min(launch.diagnose_s, left_s / kDiagnoseShare);
    const double margin_s = std::min(kMostMargin_s, left_s / kMarginShare);
    const auto before = goes_on ? read_progress(launch.folder) : std::nullopt;
    launch.hunt_s = (before ? before->seconds : 0) + left_s - launch.diagnose_s - margin_s;
  }
  if (!goes_on) launch.learn_from = learn_from(going.stage);
  if (makes && !is_corpus(launch.learn_from)) launch.learn_from.clear();
  if (!goes_on && !makes) write_whole_file(going.ranking_file, ranking_text(going.plan));
  StageWatch watch;
  watch.esox = spec_.esox;
  watch.arguments = goes_on ? resume_arguments(spec_.file, launch)
                    : makes ? generate_arguments(spec_.file, going.stage, going.plan, launch)
                            : hunt_arguments(spec_.file, going.stage, going.plan, launch);
  watch.folder = launch.folder;
  watch.log = folder_ / (going.stage.name + ".log");
  watch.time_s = left_s;
  watch.stuck_after = spec_.file.limits.stuck_after;
  watch.patience = spec_.file.limits.grace / 2;
  watch.memory_kib = spec_.file.limits.memory_kib;
  const double began_s = clock_.spent_s();
  const double had_s = going.state.seconds;
  return run_stage_process(watch, stop_, [&] {
    going.state.seconds = had_s + clock_.spent_s() - began_s;
    going.report.seconds = going.state.seconds;
    if (const auto progress = read_progress(launch.folder)) {
      static_cast<HuntCounts&>(going.report) = *progress;
      going.report.findings = progress->findings;
    }
    return look();
  });
}

bool Supervisor::after(SupervisedStage& going, const StageEnd& end) {
  const HuntInFolder hunt = hunt_in(going.report.folder);
  const bool begun = hunt == HuntInFolder::kUnfinished || hunt == HuntInFolder::kEnded;
  const bool well = end.status.signal == 0 && end.status.code == 0;
  if (!well && begun) record(going.report.folder);
  if (end.runs > 0) going.fruitless = 0;
  if (end.cut == StageCut::kStop || end.cut == StageCut::kTime) return false;
  if (well && end.cut == StageCut::kNone) return false;
  if (hunt == HuntInFolder::kEnded) return false;
  const std::string why = end.cut != StageCut::kNone
                              ? cut_name(end.cut)
                              : words_of(end, folder_ / (going.stage.name + ".log"));
  ++going.state.restarts;
  going.report.restarts = going.state.restarts;
  log_->write_through("stage ended early", going.stage.name,
                      {{"why", why},
                       {"status", text_of(end.status)},
                       {"killed", end.killed},
                       {"memory_kib", end.memory_kib},
                       {"runs", end.runs}});
  say_(fmt::format("{}: ended early ({})", going.stage.name, why));
  if (end.cut == StageCut::kDisk) return true;
  if (end.cut == StageCut::kMemory) return after_memory(going);
  return after_failure(going, end, begun);
}

bool Supervisor::after_memory(SupervisedStage& going) {
  unsigned jobs = going.state.jobs != 0 ? going.state.jobs : spec_.file.jobs;
  try {
    if (jobs == 0) jobs = read_hunt(going.report.folder).jobs;
  } catch (const ReportError&) {
    jobs = 1;
  }
  if (jobs <= 1 && ++going.over_memory >= kMostOverMemory) {
    fail(going, "it takes more memory than 'limits: memory' allows, with one job, too");
    return false;
  }
  going.state.jobs = std::max(1U, jobs / 2);
  say_(fmt::format("{}: goes on with {}", going.stage.name, counted(going.state.jobs, "job")));
  log_->write("fewer jobs", going.stage.name, {{"jobs", going.state.jobs}});
  return true;
}

// Waiting helps against a machine that is out of something for a while.
bool Supervisor::after_failure(SupervisedStage& going, const StageEnd& end, bool begun) {
  if (end.runs > 0) return true;
  ++going.fruitless;
  if (going.fruitless >= (end.status.signal != 0 ? kMostKilled : kMostFruitless)) {
    if (going.begun_anew || !begun) {
      fail(going, words_of(end, folder_ / (going.stage.name + ".log")));
      return false;
    }
    going.begun_anew = true;
    going.fruitless = 0;
    ++going.state.attempt;
    log_->write("stage begun anew", going.stage.name,
                {{"why", "its hunt could not be gone on with"}});
  }
  pause(std::min(kLongestPause_s, static_cast<double>(1ULL << going.fruitless)), going.end_s);
  return true;
}

void Supervisor::fail(SupervisedStage& going, const std::string& why) {
  going.state.state = StageState::kFailed;
  going.state.failure = going.report.failure = why;
  report_.missing.push_back(fmt::format("stage {}: {}", going.stage.name, why));
  say_(fmt::format("{}: {}", going.stage.name, why));
  log_->write_through("stage failed", going.stage.name, {{"why", why}});
}

// `its_own_time`: not what others left over, which may not be there in the next night.
void Supervisor::account(SupervisedStage& going, bool its_own_time) {
  std::optional<HuntReport> hunt;
  try {
    if (fs::exists(going.report.folder / "hunt.json")) hunt = read_hunt(going.report.folder);
  } catch (const ReportError& error) {
    report_.missing.push_back(fmt::format("stage {}: {}", going.stage.name, error.what()));
  }
  if (hunt) add_hunt(going.report, *hunt);
  // It plans none, and has those that were worth keeping.
  if (going.stage.corpus.grammar) going.report.inputs_planned = going.report.inputs_reached;
  going.report.not_done = shortened(not_done(going.plan, hunt ? &*hunt : nullptr));
  if (!hunt) return;
  if (!hunt->failure.empty() && going.state.state != StageState::kFailed) {
    going.report.failure = hunt->failure;
  }
  const TurnsTaken taken = turns_taken(going.plan, *hunt);
  keep("nights.db", [&] {
    store_.take_turns(night_.number, going.stage.name, taken.turns);
    if (its_own_time) store_.keep_reach(night_.number, going.stage.name, taken.reach, taken.all);
  });
}

}  // namespace esox
