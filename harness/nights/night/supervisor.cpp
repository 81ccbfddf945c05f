// SPDX-License-Identifier: Apache-2.0
// See supervisor.h. How one stage is hunted is in supervisor_stage.cpp.
#include "harness/nights/night/supervisor.h"

#include <fmt/format.h>
#include <sys/statvfs.h>

#include <algorithm>
#include <thread>

#include "base/process/paths.h"
#include "base/text/counted.h"
#include "base/time/utc.h"
#include "harness/nights/night/retention.h"
#include "harness/nights/night/stage_process.h"
#include "harness/records/hunt_state.h"
#include "harness/records/json_text.h"
#include "harness/records/out_folder.h"
#include "harness/records/progress.h"
#include "harness/records/triage/recording.h"
#include "summaries/digest.h"

namespace esox {
namespace {

namespace fs = std::filesystem;

constexpr double kSaveEvery_s = 2;
// A stage of less is not begun: starting a server takes that long.
constexpr double kLeastStage_s = 2;
constexpr double kTick_s = 0.2;
// Of the night's time, at most one part in so many for known findings.
constexpr double kRecheckShare = 5;

// The same on every machine. 32 bits, short to type and exact in JSON.
uint64_t drawn_seed(const std::string& name, uint64_t night) {
  return digest_of(name + "/" + std::to_string(night)).low & 0xffffffff;
}

uint64_t free_bytes(const fs::path& path) {
  struct statvfs status {};
  if (statvfs(path.c_str(), &status) != 0) return UINT64_MAX;  // not known: no reason to stop
  return uint64_t{status.f_bavail} * status.f_frsize;
}

}  // namespace

Supervisor::Supervisor(NightSpec spec, const std::atomic<bool>& stop, Say say)
    : spec_(std::move(spec)),
      stop_(stop),
      say_(std::move(say)),
      lock_(spec_.file.out),
      store_(spec_.file.out) {}

Supervisor::~Supervisor() = default;

// ---- beginning, or going on

const NightReport& Supervisor::run() {
  open_night();
  recheck();
  hunt_stages();
  hunt_leftovers();
  finish();
  return report_;
}

bool Supervisor::worth_going_on(const StoredNight& last) const {
  return !spec_.begin_anew && last.text == spec_.file.text && last.shard == spec_.shard &&
         seconds_between({last.boot, last.boot_s, last.started}, moment_now()) <=
             seconds(spec_.file.limits.resume_within);
}

void Supervisor::open_night() {
  const auto last = store_.last_night();
  const bool open = last && last->state == NightState::kOpen;
  const bool resumed = open && worth_going_on(*last);
  if (resumed) {
    night_ = *last;
  } else {
    if (open) {
      const std::string why = spec_.begin_anew                ? "another one was begun by --new"
                              : last->text != spec_.file.text ? "the hunt file has changed"
                              : last->shard != spec_.shard    ? "this is another shard"
                                                              : "it is too long ago";
      give_up(*last, why);
    }
    begin_night();
  }
  ++night_.launches;
  folder_ = spec_.file.out / "nights" / night_.id;
  make_folder(folder_);
  clock_ = NightClock(night_.seconds);
  log_ = std::make_unique<NightLog>(folder_ / "log.jsonl", [this] { return clock_.spent_s(); });
  stages_ = stages_of(spec_.file, night_.number);
  states_ = store_.stages(night_.number);
  if (states_.size() != stages_.size()) {
    throw OutError(fmt::format("{} does not fit this hunt file; begin anew by --new",
                               (spec_.file.out / "nights.db").string()));
  }
  store_.keep_night(night_);
  tell_head(resumed);
}

void Supervisor::begin_night() {
  night_ = {};
  const Moment now = moment_now();
  night_.started = now.utc;
  night_.boot = now.boot;
  night_.boot_s = now.boot_s;
  night_.text = spec_.file.text;
  night_.shard = spec_.shard;
  std::vector<std::string> names;
  const auto last = store_.last_night();
  const uint64_t number = last ? last->number + 1 : 1;
  night_.seed = spec_.file.seed_fixed ? spec_.file.seed : drawn_seed(spec_.file.name, number);
  for (const Stage& stage : stages_of(spec_.file, number)) names.push_back(stage.name);
  store_.begin_night(night_, names);
}

// Its findings are kept; what it had planned is not done any more.
void Supervisor::give_up(StoredNight last, const std::string& why) {
  say_(fmt::format("the night {} did not come to its end and is not gone on with: {}", last.id,
                   why));
  folder_ = spec_.file.out / "nights" / last.id;
  for (const fs::path& one : entries_of(folder_)) {
    if (is_there(one / "hunt.db")) record(one);
  }
  last.state = NightState::kGivenUp;
  store_.keep_night(last);
}

void Supervisor::tell_head(bool resumed) {
  report_.id = night_.id;
  report_.name = spec_.file.name;
  report_.file = spec_.file.file;
  report_.esox_version = spec_.esox_version;
  report_.shard = night_.shard;
  report_.started = night_.started;
  report_.seconds = night_.seconds;
  report_.launches = night_.launches;
  report_.recheck_s = night_.recheck_s;
  if (spec_.file.budget.time) report_.budget_s = seconds(*spec_.file.budget.time);
  for (size_t i = 0; i < stages_.size(); ++i) {
    report_.stages.push_back(empty_report(stages_[i]));
    StageReport& stage = report_.stages.back();
    stage.budget_s = states_[i].budget_s;
    stage.seconds = states_[i].seconds;
    stage.restarts = states_[i].restarts;
    stage.failure = states_[i].failure;
    stage.folder = stage_folder(states_[i]);
  }
  const std::string budget =
      report_.budget_s ? "budget " + duration_text(*report_.budget_s)
                       : fmt::format("budget {} executions", *spec_.file.budget.executions);
  say_(fmt::format("esox {}: night {} of {}, {}, {}, seed {}", spec_.esox_version, night_.number,
                   spec_.file.name, counted(stages_.size(), "stage"), budget, night_.seed));
  if (resumed) {
    say_(fmt::format("goes on where it ended after {} (launch {})", duration_text(night_.seconds),
                     night_.launches));
  }
  log_->write_through(resumed ? "night resumed" : "night begun", "",
                      {{"id", night_.id},
                       {"number", night_.number},
                       {"esox_version", spec_.esox_version},
                       {"file", spec_.file.file.string()},
                       {"seed", night_.seed},
                       {"stages", stages_.size()},
                       {"launch", night_.launches}});
  if (resumed) recall_night(report_, folder_ / "night.json");
  save();
}

StageReport Supervisor::empty_report(const Stage& stage) const {
  StageReport report;
  report.name = stage.name;
  report.server_name = stage.server.name;
  report.server_options = stage.options.server_options;
  report.corpus = stage.corpus.name;
  report.strategy = stage.strategy;
  report.seed = night_.seed;
  return report;
}

void Supervisor::recheck() {
  if (!recheck_ || night_.rechecked || stop_.load()) return;
  double budget_s = seconds(spec_.file.recheck_budget);
  if (report_.budget_s) {
    budget_s = std::min(budget_s, *report_.budget_s / kRecheckShare) - night_.recheck_s;
  }
  if (budget_s >= 1) {
    const double before_s = clock_.spent_s();
    recheck_(budget_s);
    night_.recheck_s += clock_.spent_s() - before_s;
    report_.recheck_s = night_.recheck_s;
  }
  if (stop_.load()) return;
  night_.rechecked = true;
  save();
}

// ---- the stages

double Supervisor::left_s() {
  return report_.budget_s ? *report_.budget_s - clock_.spent_s() : 0;
}

// Of the stages that are still to come, from this one on.
double Supervisor::share_left(size_t from) const {
  double sum = 0;
  for (size_t i = from; i < stages_.size(); ++i) {
    const StageState state = states_[i].state;
    if (state == StageState::kWaiting || state == StageState::kBegun) sum += stages_[i].share;
  }
  return sum;
}

void Supervisor::hunt_stages() {
  for (size_t i = 0; i < stages_.size() && !stop_.load(); ++i) {
    const StageState state = states_[i].state;
    if (state == StageState::kEnded || state == StageState::kFailed) continue;
    double time_s = 0;
    if (report_.budget_s) {
      // What it had before the night was ended is part of its share.
      const double had_s = states_[i].seconds;
      time_s = (left_s() + had_s) * stages_[i].share / share_left(i) - had_s;
      time_s = std::min(std::max(time_s, kLeastStage_s), left_s());
      if (time_s < std::min(kLeastStage_s, *report_.budget_s / 2)) {
        if (state == StageState::kWaiting) {
          leave_out(i, "no time was left for it");
        } else {
          hunt_stage(i, kNoTime);  // for its account
        }
        continue;
      }
    }
    hunt_stage(i, time_s);
  }
}

// What others did not need, for those that would have needed more: the one with the largest part
// unreached first.
void Supervisor::hunt_leftovers() {
  leftovers_ = true;
  std::vector<bool> had(stages_.size());
  while (report_.budget_s && left_s() >= 2 * kLeastStage_s && !stop_.load()) {
    std::optional<size_t> best;
    double most = 0;
    for (size_t i = 0; i < stages_.size(); ++i) {
      if (had[i] || states_[i].state != StageState::kEnded ||
          hunt_in(stage_folder(states_[i])) != HuntInFolder::kUnfinished) {
        continue;
      }
      const StageReport& stage = report_.stages[i];
      const double unreached =
          1 + static_cast<double>(stage.inputs_planned -
                                  std::min(stage.inputs_planned, stage.inputs_reached));
      if (unreached <= most) continue;
      most = unreached;
      best = i;
    }
    if (!best) return;
    had[*best] = true;
    log_->write("time handed on", stages_[*best].name, {{"seconds", left_s()}});
    hunt_stage(*best, left_s());
  }
}

void Supervisor::leave_out(size_t index, const std::string& why) {
  NightStage& stage = states_[index];
  stage.state = StageState::kFailed;
  stage.failure = report_.stages[index].failure = why;
  report_.missing.push_back(fmt::format("stage {}: {}", stage.name, why));
  say_(fmt::format("{}: {}", stage.name, why));
  log_->write("stage left out", stage.name, {{"why", why}});
  keep("nights.db", [&] { store_.keep_stage(night_.number, stage); });
}

// ---- the disk

bool Supervisor::make_room() {
  const fs::path& out = spec_.file.out;
  const uint64_t least = spec_.file.limits.free_at_least_bytes;
  const auto enough = [&] { return free_bytes(out) >= least; };
  if (enough()) return true;
  std::vector<std::string> ids;
  keep("nights.db", [&] { ids = store_.night_ids(); });
  const Pruned pruned = prune_oldest(out, ids, 1, enough);
  if (!pruned.nights.empty()) {
    log_->write(
        "old nights pruned", "",
        {{"why", "the disk has little space"}, {"nights", pruned.nights}, {"bytes", pruned.bytes}});
  }
  return enough();
}

StageCut Supervisor::look() {
  const StageCut cut = make_room() ? StageCut::kNone : StageCut::kDisk;
  if (clock_.spent_s() - saved_s_ >= kSaveEvery_s) save();
  return cut;
}

void Supervisor::pause(double pause_s, double end_s) {
  const double until_s = clock_.spent_s() + pause_s;
  while (!stop_.load() && clock_.spent_s() < until_s && (end_s == 0 || clock_.spent_s() < end_s)) {
    std::this_thread::sleep_for(std::chrono::duration<double>(kTick_s));
  }
}

// Gives whether there is some, before that time of the night.
bool Supervisor::wait_for_space(double end_s) {
  if (make_room()) return true;
  const double began_s = clock_.spent_s();
  const std::string why =
      fmt::format("{} MiB are free below {}, {} MiB is the least; the night waits",
                  free_bytes(spec_.file.out) >> 20, spec_.file.out.string(),
                  spec_.file.limits.free_at_least_bytes >> 20);
  say_(why);
  log_->write_through("waits for space", "", {{"why", why}});
  while (!make_room() && !stop_.load() && (end_s == 0 || clock_.spent_s() < end_s)) {
    pause(1, end_s);
    if (clock_.spent_s() - saved_s_ >= kSaveEvery_s) save();
  }
  const double took_s = clock_.spent_s() - began_s;
  waited_s_ += took_s;
  log_->write("waited for space", "", {{"seconds", took_s}});
  return make_room();
}

// ---- keeping

// A full disk is no reason to end: it is tried again.
bool Supervisor::keep(const std::string& what, const std::function<void()>& write) {
  try {
    write();
    return true;
  } catch (const OutError& error) {
    unkept_ = error.what();
  } catch (const DatabaseError& error) {
    unkept_ = error.what();
  }
  log_->write("could not be kept", "", {{"what", what}, {"why", unkept_}});
  return false;
}

void Supervisor::save() {
  saved_s_ = clock_.spent_s();
  night_.seconds = report_.seconds = saved_s_;
  bool kept = keep("nights.db", [&] { store_.keep_night(night_); });
  for (const NightStage& stage : states_) {
    if (stage.state == StageState::kBegun) {
      kept = keep("nights.db", [&] { store_.keep_stage(night_.number, stage); }) && kept;
    }
  }
  kept =
      keep("night.json", [&] { write_whole_file(folder_ / "night.json", night_json(report_)); }) &&
      kept;
  if (kept) unkept_.clear();
}

// Findings of a hunt that could not add them itself.
void Supervisor::record(const fs::path& hunt) {
  try {
    Store store(spec_.file.out / "findings.db");
    record_hunt(store, hunt);
  } catch (const std::runtime_error& error) {
    unrecorded_[hunt] = error.what();
    if (log_) log_->write("not recorded", "", {{"hunt", hunt.string()}, {"why", error.what()}});
    return;
  }
  unrecorded_.erase(hunt);
}

// A full disk may have been in the way; else it is said.
void Supervisor::record_again() {
  std::vector<fs::path> again;
  for (const auto& [hunt, why] : unrecorded_) again.push_back(hunt);
  for (const fs::path& hunt : again) record(hunt);
  for (const auto& [hunt, why] : unrecorded_) {
    report_.missing.push_back(fmt::format(
        "the findings in {0} are not in the triage store ({1}); esox triage add --store {2} {0}",
        hunt.string(), why, (spec_.file.out / "findings.db").string()));
  }
}

// ---- the end

void Supervisor::finish() {
  report_.interrupted = stop_.load();
  if (report_.interrupted) {
    log_->write_through("night interrupted", "", OrderedJson::object());
    return save();
  }
  if (waited_s_ >= 1) {
    report_.missing.push_back(fmt::format("{} were spent waiting for space on the disk of {}",
                                          duration_text(waited_s_), spec_.file.out.string()));
  }
  record_again();
  night_.state = NightState::kEnded;
  report_.ended = utc_now();
  prune();
  const double until_s = clock_.spent_s() + seconds(spec_.file.limits.grace) / 2;
  save();
  while (!unkept_.empty() && clock_.spent_s() < until_s && !stop_.load()) {
    make_room();
    pause(1, until_s);
    save();
  }
  if (!unkept_.empty()) report_.missing.push_back("this report itself: " + unkept_);
  log_->write_through("night ended", "",
                      {{"seconds", report_.seconds}, {"missing", report_.missing}});
}

void Supervisor::prune() {
  std::vector<std::string> ids;
  keep("nights.db", [&] { ids = store_.night_ids(); });
  const Pruned pruned = prune_nights(spec_.file.out, ids, spec_.file.retention, 1);
  for (const std::string& trouble : pruned.trouble) {
    report_.missing.push_back("an old night could not be pruned: " + trouble);
  }
  if (pruned.nights.empty()) return;
  log_->write("old nights pruned", "",
              {{"why", "retention"}, {"nights", pruned.nights}, {"bytes", pruned.bytes}});
}

}  // namespace esox
