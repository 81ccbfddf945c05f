// SPDX-License-Identifier: Apache-2.0
// How the supervisor hunts one leg: sitting after sitting, until it is done, its time is over, or
// another one would not help.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>
#include <system_error>

#include "base/process/log_file.h"
#include "base/process/server_error.h"
#include "base/yaml/file_text.h"
#include "harness/nights/night/leg_account.h"
#include "harness/nights/night/leg_process.h"
#include "harness/nights/night/supervised_leg.h"
#include "harness/nights/night/supervisor.h"
#include "harness/records/hunt_progress.h"
#include "harness/records/hunt_state.h"
#include "harness/records/out_folder.h"
#include "harness/records/progress.h"
#include "harness/records/reports/hunt_reader.h"
#include "harness/records/reports/report_error.h"
#include "harness/search/input_order.h"

namespace esox {
namespace {

namespace fs = std::filesystem;
using std::chrono::milliseconds;

// A leg of which so many sittings in a row failed without a single run is begun anew, and after as
// many again given up.
constexpr uint64_t kMostFruitless = 3;
constexpr uint64_t kMostKilled = 10;  // the same, if it was killed: by whom, who knows
constexpr uint64_t kMostOverMemory = 3;
constexpr double kLongestPause_s = 30;
constexpr int kMostLooks = 10;
constexpr double kLeastSitting_s = 1;
// Of a leg's time, at most these parts for what comes after the executions and around them.
constexpr double kDiagnoseShare = 5;
constexpr double kMarginShare = 10;
constexpr double kMostMargin_s = 5;

double seconds(milliseconds time) {
  return std::chrono::duration<double>(time).count();
}

// What was planned in an earlier sitting, or before the leg's turns were taken.
void use_order_file(LegPlan& plan, const fs::path& file) {
  std::vector<LegInput> order;
  std::set<TurnKey> ordered;
  try {
    for (const OrderLine& one :
         parse_order(file_text(file, kMaxOrderBytes, "an order"), file.string())) {
      order.push_back({one.input, one.engine == "-" ? "" : one.engine});
      ordered.insert({order.back().input, order.back().engine});
    }
  } catch (const InputError&) {
    return;  // cut off by a full disk: it is written again
  }
  for (const LegInput& one : plan.order) {
    if (ordered.contains({one.input, one.engine})) continue;
    plan.not_now.push_back({one.input, one.engine, "not planned tonight: it rests"});
  }
  std::erase_if(plan.not_now, [&](const NotDone& one) {
    return ordered.contains({one.input, one.engine});
  });
  plan.order = std::move(order);
}

// Why a hunt's process ended, in its own words.
std::string words_of(const LegEnd& end, const fs::path& log) {
  if (end.status.signal != 0) return text_of(end.status);
  const std::string said = tail_of(log, 1);
  return said.empty() ? text_of(end.status) : said;
}

}  // namespace

fs::path Supervisor::leg_folder(const NightLeg& leg) const {
  return folder_ / (leg.attempt == 1 ? leg.name : fmt::format("{}.{}", leg.name, leg.attempt));
}

void Supervisor::hunt_leg(size_t index, double time_s) {
  SupervisedLeg going{legs_[index], states_[index], report_.legs[index]};
  const double before_s = clock_.spent_s();
  going.end_s = time_s > 0 ? before_s + time_s : 0;
  if (time_s > 0) {
    const double had_s = leftovers_ ? going.state.budget_s : going.state.seconds;
    going.state.budget_s = had_s + time_s;
  }
  going.report.budget_s = going.state.budget_s;
  going.state.state = LegState::kBegun;
  going.state.failure.clear();
  say_(fmt::format("leg {} of {}, {}{}", index + 1, legs_.size(), going.leg.name,
                   time_s > 0 ? ": " + duration_text(time_s) : ""));
  try {
    prepare(going);
    if (time_s == kNoTime) {
      record(going.report.folder);
    } else {
      keep_going(going);
    }
  } catch (const std::runtime_error& error) {
    // Of the leg alone: no server, no input, no log.
    fail(going, error.what());
  }
  going.report.seconds = going.state.seconds;
  if (stop_.load()) {
    account(going, false);
    return save();
  }
  if (going.state.state == LegState::kBegun) going.state.state = LegState::kEnded;
  account(going, !leftovers_);
  keep("nights.db", [&] { store_.keep_leg(night_.number, going.state); });
  log_->write_through("leg ended", going.leg.name,
                      {{"seconds", going.state.seconds},
                       {"executions", going.report.executions},
                       {"findings", going.report.findings},
                       {"inputs_reached", going.report.inputs_reached},
                       {"failure", going.state.failure}});
  say_(fmt::format("{}: {} of {} inputs, {} executions, {} finding{} in {}", going.leg.name,
                   going.report.inputs_reached, going.report.inputs_planned,
                   going.report.executions, going.report.findings,
                   going.report.findings == 1 ? "" : "s", duration_text(going.state.seconds)));
  save();
}

void Supervisor::prepare(SupervisedLeg& going) {
  going.plan = plan_leg(order_.file, going.leg, night_.number, &store_);
  going.order_file = folder_ / (going.leg.name + ".order");
  use_order_file(going.plan, going.order_file);
  going.report.server_path = going.plan.program;
  going.report.inputs_planned = going.plan.order.size();
  report_.nights_until_all = std::max(report_.nights_until_all, going.plan.nights_until_all);
  log_->write_through("leg begun", going.leg.name,
                      {{"seconds", going.end_s > 0 ? going.end_s - clock_.spent_s() : 0},
                       {"inputs_planned", going.plan.order.size()},
                       {"inputs", going.plan.inputs},
                       {"server", going.plan.program},
                       {"nights_until_all", going.plan.nights_until_all}});
}

void Supervisor::keep_going(SupervisedLeg& going) {
  for (bool again = true; again && !stop_.load();) {
    if (!wait_for_space(going.end_s)) {
      if (stop_.load()) return;
      return fail(going, "the disk was full until its time was over");
    }
    if (going.end_s > 0 && going.end_s - clock_.spent_s() < kLeastSitting_s) return;
    choose_folder(going);
    save();
    const double before_s = clock_.spent_s();
    const double had_s = going.state.seconds;
    const LegEnd end = sit(going);
    going.state.seconds = had_s + clock_.spent_s() - before_s;
    going.report.seconds = going.state.seconds;
    again = after(going, end);
  }
}

// A hunt that was ended before it began, or whose memory is damaged, is begun in a new folder; what
// it found stays.
void Supervisor::choose_folder(SupervisedLeg& going) {
  std::error_code error;
  for (;; ++going.state.attempt) {
    going.report.folder = leg_folder(going.state);
    if (!fs::exists(going.report.folder, error)) return;
    HuntInFolder hunt = hunt_in(going.report.folder);
    // One whose night was killed just now is still ending.
    for (int i = 0; i < kMostLooks && hunt == HuntInFolder::kAtWork && !stop_.load(); ++i) {
      pause(1, going.end_s);
      hunt = hunt_in(going.report.folder);
    }
    if (hunt != HuntInFolder::kNone) return;
    if (fs::is_empty(going.report.folder, error)) return;
    log_->write("leg begun anew", going.leg.name,
                {{"why", "its hunt had not begun, or its memory is damaged"},
                 {"left", going.report.folder.string()}});
  }
}

fs::path Supervisor::learn_from(const Leg& leg) {
  if (!order_.file.remember) return {};
  for (const auto& [id, attempt] : store_.earlier_folders(night_.number, leg.name)) {
    NightLeg earlier;
    earlier.name = leg.name;
    earlier.attempt = attempt;
    const fs::path folder = order_.file.out / "nights" / id / leg_folder(earlier).filename();
    const HuntInFolder hunt = hunt_in(folder);
    if (hunt == HuntInFolder::kUnfinished || hunt == HuntInFolder::kEnded) return folder;
  }
  return {};
}

LegEnd Supervisor::sit(SupervisedLeg& going) {
  LegSitting sitting;
  sitting.folder = going.report.folder;
  sitting.order_file = going.order_file;
  sitting.seed = night_.seed;
  sitting.jobs = going.state.jobs != 0 ? going.state.jobs : order_.file.jobs;
  const double left_s = going.end_s > 0 ? going.end_s - clock_.spent_s() : 0;
  sitting.diagnose_s = seconds(order_.file.diagnose_budget);
  const bool goes_on = hunt_in(sitting.folder) == HuntInFolder::kUnfinished;
  if (going.end_s > 0) {
    sitting.diagnose_s = std::min(sitting.diagnose_s, left_s / kDiagnoseShare);
    const double margin_s = std::min(kMostMargin_s, left_s / kMarginShare);
    const auto before = goes_on ? read_progress(sitting.folder) : std::nullopt;
    sitting.hunt_s = (before ? before->seconds : 0) + left_s - sitting.diagnose_s - margin_s;
  }
  if (!goes_on) {
    sitting.learn_from = learn_from(going.leg);
    write_whole_file(going.order_file, order_text(going.plan));
  }
  LegWatch watch;
  watch.esox = order_.esox;
  watch.arguments = goes_on ? resume_arguments(order_.file, sitting)
                            : hunt_arguments(order_.file, going.leg, going.plan, sitting);
  watch.folder = sitting.folder;
  watch.log = folder_ / (going.leg.name + ".log");
  watch.time_s = left_s;
  watch.stuck_after = order_.file.limits.stuck_after;
  watch.patience = order_.file.limits.grace / 2;
  watch.memory_kib = order_.file.limits.memory_kib;
  const double began_s = clock_.spent_s();
  const double had_s = going.state.seconds;
  return run_leg_process(watch, stop_, [&] {
    going.state.seconds = had_s + clock_.spent_s() - began_s;
    going.report.seconds = going.state.seconds;
    if (const auto progress = read_progress(sitting.folder)) {
      static_cast<HuntCounts&>(going.report) = *progress;
      going.report.findings = progress->findings;
    }
    return look();
  });
}

bool Supervisor::after(SupervisedLeg& going, const LegEnd& end) {
  const HuntInFolder hunt = hunt_in(going.report.folder);
  const bool begun = hunt == HuntInFolder::kUnfinished || hunt == HuntInFolder::kEnded;
  const bool well = end.status.signal == 0 && end.status.code == 0;
  if (!well && begun) record(going.report.folder);
  if (end.runs > 0) going.fruitless = 0;
  if (end.cut == LegCut::kStop || end.cut == LegCut::kTime) return false;
  if (well && end.cut == LegCut::kNone) return false;
  if (hunt == HuntInFolder::kEnded) return false;
  const std::string why = end.cut != LegCut::kNone
                              ? cut_name(end.cut)
                              : words_of(end, folder_ / (going.leg.name + ".log"));
  ++going.state.restarts;
  going.report.restarts = going.state.restarts;
  log_->write_through("leg ended early", going.leg.name,
                      {{"why", why},
                       {"status", text_of(end.status)},
                       {"killed", end.killed},
                       {"memory_kib", end.memory_kib},
                       {"runs", end.runs}});
  say_(fmt::format("{}: ended early ({})", going.leg.name, why));
  if (end.cut == LegCut::kDisk) return true;
  if (end.cut == LegCut::kMemory) return after_memory(going);
  return after_failure(going, end, begun);
}

bool Supervisor::after_memory(SupervisedLeg& going) {
  unsigned jobs = going.state.jobs != 0 ? going.state.jobs : order_.file.jobs;
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
  say_(fmt::format("{}: goes on with {} job{}", going.leg.name, going.state.jobs,
                   going.state.jobs == 1 ? "" : "s"));
  log_->write("fewer jobs", going.leg.name, {{"jobs", going.state.jobs}});
  return true;
}

// Waiting helps against a machine that is out of something for a while.
bool Supervisor::after_failure(SupervisedLeg& going, const LegEnd& end, bool begun) {
  if (end.runs > 0) return true;
  ++going.fruitless;
  if (going.fruitless >= (end.status.signal != 0 ? kMostKilled : kMostFruitless)) {
    if (going.begun_anew || !begun) {
      fail(going, words_of(end, folder_ / (going.leg.name + ".log")));
      return false;
    }
    going.begun_anew = true;
    going.fruitless = 0;
    ++going.state.attempt;
    log_->write("leg begun anew", going.leg.name, {{"why", "its hunt could not be gone on with"}});
  }
  pause(std::min(kLongestPause_s, static_cast<double>(1ULL << going.fruitless)), going.end_s);
  return true;
}

void Supervisor::fail(SupervisedLeg& going, const std::string& why) {
  going.state.state = LegState::kFailed;
  going.state.failure = going.report.failure = why;
  report_.missing.push_back(fmt::format("leg {}: {}", going.leg.name, why));
  say_(fmt::format("{}: {}", going.leg.name, why));
  log_->write_through("leg failed", going.leg.name, {{"why", why}});
}

// `its_own_time`: not what others left over, which may not be there in the next night.
void Supervisor::account(SupervisedLeg& going, bool its_own_time) {
  std::optional<HuntReport> hunt;
  try {
    if (fs::exists(going.report.folder / "hunt.json")) hunt = read_hunt(going.report.folder);
  } catch (const ReportError& error) {
    report_.missing.push_back(fmt::format("leg {}: {}", going.leg.name, error.what()));
  }
  if (hunt) add_hunt(going.report, *hunt);
  going.report.not_done = shortened(not_done(going.plan, hunt ? &*hunt : nullptr));
  if (!hunt) return;
  if (!hunt->failure.empty() && going.state.state != LegState::kFailed) {
    going.report.failure = hunt->failure;
  }
  const TurnsTaken taken = turns_taken(going.plan, *hunt);
  keep("nights.db", [&] {
    store_.take_turns(night_.number, going.leg.name, taken.turns);
    if (its_own_time) store_.keep_reach(night_.number, going.leg.name, taken.reach, taken.all);
  });
}

}  // namespace esox
