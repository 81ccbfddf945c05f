// SPDX-License-Identifier: Apache-2.0
#include "harness/search/exhaustive/iterative.h"

#include <algorithm>
#include <bit>
#include <limits>

#include "base/text/enum_names.h"
#include "harness/search/exhaustive/search_account.h"

namespace esox::exhaustive {
namespace {

constexpr double kHopeless = 2;    // Quicksand's HeuristicETAFactor
constexpr uint64_t kTrial = 100;   // executions between two looks at an estimate
constexpr size_t kMostJobs = 200;  // more are not made
constexpr double kNoEstimate = std::numeric_limits<double>::max();

// In which order pending jobs are begun: no points, single classes, all classes, then call sites,
// the fewest first.
size_t rank_of(const PointSet& points) {
  const int classes = std::popcount(points.classes());
  if (!points.sites().empty()) return 3 + points.sites().size() + static_cast<size_t>(classes);
  return std::min(static_cast<size_t>(classes), size_t{2});
}

bool is_open(const Job& job) {
  return job.state == JobState::kPending || job.state == JobState::kSuspended;
}

}  // namespace

const char* name_of(JobState state) {
  static constexpr const char* kNames[] = {"not begun", "under way",     "suspended",
                                           "exhausted", "not exhausted", "cancelled"};
  return name_in(kNames, state);
}

IterativeSearch::IterativeSearch(Left executions_left)
    : executions_left_(std::move(executions_left)) {
  add(PointSet::none());
}

// A set that was exhausted as part of another one need not be.
void IterativeSearch::add(const PointSet& points) {
  if (jobs_.size() == kMostJobs) return;
  const bool known = std::ranges::any_of(jobs_, [&](const Job& job) {
    return job.points == points ||
           (job.state == JobState::kExhausted && job.points.contains(points));
  });
  if (known) return;
  Job job;
  job.points = points;
  jobs_.push_back(std::move(job));
  works_.emplace_back();
}

void IterativeSearch::learn(const ExecutedSchedule& executed) {
  learn_classes(executed);
  const PointSet points = jobs_[*current_].points;
  for (const auto& [of_class, site] : conflicts_.learn(executed)) {
    if (points.has(of_class, site)) continue;
    PointSet alone;
    alone.add(of_class, site);
    add(alone);
    PointSet grown = points;
    grown.add(of_class, site);
    add(grown);
  }
}

void IterativeSearch::learn_classes(const ExecutedSchedule& executed) {
  const PointSet before = occurring_;
  for (size_t i = 1; i < executed.points.size(); ++i) {
    const ThreadId running = executed.points[i - 1].step.thread;
    const std::vector<Waiting>& waiting = executed.points[i].waiting;
    if (!is_enabled(waiting, running)) continue;
    const PointClass c = class_of(pending_of(waiting, running).kind);
    if (occurring_.has(c)) continue;
    occurring_.add(c);
    add(PointSet::of(c));
  }
  if (!(occurring_ == before)) add(occurring_);
}

// A job that was suspended meanwhile may ask for a beginning that its last execution does not lead
// to; it is told so, and asked for another one.
const std::optional<Beginning>& IterativeSearch::next() {
  while (!next_ && choose()) {
    const Work& work = works_[*current_];
    next_ = work.view->fine(work.search->next());
    if (!next_) take_coarse({.usable = false});
  }
  return next_;
}

void IterativeSearch::take(const ExecutedSchedule& executed) {
  next_.reset();
  learn(executed);
  take_coarse(works_[*current_].view->coarse(executed));
}

void IterativeSearch::take_coarse(const ExecutedSchedule& executed) {
  const size_t job = *current_;
  if (!works_[job].search->take(executed)) finish(job);
}

bool IterativeSearch::step(ScheduleRunner& runner) {
  const std::optional<Beginning> beginning = next();
  if (!beginning) return false;
  take(runner.run(*beginning));
  return true;
}

void IterativeSearch::finish(size_t job) {
  jobs_[job].result = works_[job].search->result();
  works_[job] = {};
  current_.reset();
  const bool exhausted = jobs_[job].result.exhausted;
  jobs_[job].state = exhausted ? JobState::kExhausted : JobState::kEnded;
  if (!exhausted) return;
  for (size_t i = 0; i < jobs_.size(); ++i) {
    if (!is_open(jobs_[i]) || !jobs_[job].points.contains(jobs_[i].points)) continue;
    jobs_[i].state = JobState::kCancelled;
    jobs_[i].covered_by = job;
    works_[i] = {};
  }
}

bool IterativeSearch::choose() {
  if (current_ && keeps_turn()) return true;
  if (const auto pending = next_pending()) {
    give_turn_to(*pending);
  } else {
    const double nearer_than = current_ ? left_of(jobs_[*current_]) : kNoEstimate;
    if (const auto suspended = next_suspended(nearer_than)) give_turn_to(*suspended);
  }
  return current_.has_value();
}

// The common case: it is expected to end in time. Looked at now and then, since an estimate needs
// something to go by.
bool IterativeSearch::keeps_turn() {
  Work& work = works_[*current_];
  Job& job = jobs_[*current_];
  if (work.search->result().executions < work.looked_at + kTrial) return true;
  work.looked_at = work.search->result().executions;
  job.result = work.search->result();
  return left_of(job) < kHopeless * executions_left_();
}

double IterativeSearch::left_of(const Job& job) const {
  if (job.result.share <= 0) return kNoEstimate;
  return job.result.estimated_executions() - static_cast<double>(job.result.executions);
}

bool IterativeSearch::contains_suspended(const PointSet& points, size_t but) const {
  for (size_t i = 0; i < jobs_.size(); ++i) {
    const bool laid_down = jobs_[i].state == JobState::kSuspended || i == current_;
    if (i != but && laid_down && points.contains(jobs_[i].points)) return true;
  }
  return false;
}

std::optional<size_t> IterativeSearch::next_pending() const {
  std::optional<size_t> best;
  for (size_t i = 0; i < jobs_.size(); ++i) {
    if (jobs_[i].state != JobState::kPending || contains_suspended(jobs_[i].points, i)) continue;
    if (!best || rank_of(jobs_[i].points) < rank_of(jobs_[*best].points)) best = i;
  }
  return best;
}

// The one nearest to its end; of one contained in another, that one first.
std::optional<size_t> IterativeSearch::next_suspended(double nearer_than) const {
  std::optional<size_t> best;
  for (size_t i = 0; i < jobs_.size(); ++i) {
    if (jobs_[i].state != JobState::kSuspended || contains_suspended(jobs_[i].points, i)) continue;
    const double left = left_of(jobs_[i]);
    if (current_ && left >= nearer_than) continue;
    if (!best || left < left_of(jobs_[*best])) best = i;
  }
  return best;
}

void IterativeSearch::lay_down() {
  next_.reset();
  if (!current_) return;
  jobs_[*current_].result = works_[*current_].search->result();
  jobs_[*current_].state = JobState::kSuspended;
  current_.reset();
}

void IterativeSearch::give_turn_to(size_t job) {
  lay_down();
  current_ = job;
  jobs_[job].state = JobState::kRunning;
  Work& work = works_[job];
  if (work.search != nullptr) return;
  work.view = std::make_unique<CoarseView>(jobs_[job].points);
  work.search = begin_search({});
}

bool IterativeSearch::exhausted() const {
  return std::ranges::any_of(jobs_, [&](const Job& job) {
    return job.state == JobState::kExhausted && job.points.contains(occurring_);
  });
}

}  // namespace esox::exhaustive
