// SPDX-License-Identifier: Apache-2.0
#include "harness/search/exhaustive/preemption_pass.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace esox::exhaustive {
namespace {

static_assert(kMostPreemptions == 2);

// Executions in a row that fail before the whole does.
constexpr uint32_t kMostFailures = 3;

// Orders of threads without a preemption (more than four clients have more than 24), executions
// with one, and points of any: beyond that something is left out.
constexpr size_t kMostSchedules = 64;
constexpr size_t kMostParents = 4096;
constexpr size_t kMostReturns = 512;
constexpr size_t kMostPoints = 20'000;

std::string counts_text(const PassCounts& counts) {
  std::string text = fmt::format("{} executed", counts.executed);
  if (counts.equivalent > 0) {
    text += fmt::format(", {} equivalent to one that was", counts.equivalent);
  }
  if (counts.unusable > 0) text += fmt::format(", {} could not be judged", counts.unusable);
  return text;
}

}  // namespace

std::string text_of(const PassFigures& figures) {
  const PassCounts& one = figures.one;
  std::string text;
  if (one.done) {
    text = fmt::format("every schedule with one preemption: done ({}: {})", one.known,
                       counts_text(one));
  } else if (one.known > 0) {
    text = fmt::format("schedules with one preemption: {} of about {} ({})", one.covered(),
                       one.known, counts_text(one));
  }
  if (figures.returns.executed > 0) {
    text += fmt::format("; with another into what a lock is held for: {} of {}",
                        figures.returns.executed, figures.returns.known);
  }
  if (figures.two.done) {
    text += fmt::format("; with two: done ({})", figures.two.known);
  } else if (figures.two.known > 0) {
    text += fmt::format("; with two: {} so far", figures.two.covered());
  }
  if (figures.given_up) {
    text += text.empty() ? "" : "; ";
    text += "given up, for executions did not repeat what their beginnings had shown";
  }
  return text;
}

PreemptionPass::PreemptionPass(const Kept& kept) : kept_(kept) {
  for (ScheduleBranches::Kept& one : kept_.schedules) schedules_.emplace_back(std::move(one));
  kept_.schedules.clear();
}

PreemptionPass::Kept PreemptionPass::kept() const {
  Kept kept = kept_;
  for (const ScheduleBranches& one : schedules_) kept.schedules.push_back(one.kept());
  return kept;
}

void PreemptionPass::rest() {
  for (ScheduleBranches& one : schedules_) one.forget();
}

bool PreemptionPass::broken() const {
  return kept_.failures >= kMostFailures;
}

// Its points have to be known, and are not.
bool PreemptionPass::is_missed(size_t schedule) const {
  const ScheduleBranches& one = schedules_[schedule];
  if (one.shown()) return false;
  const bool has_last = !kept_.free.empty() && !kept_.returning && schedule == kept_.schedule;
  return one.is_open() || has_last || (one.count(Fate::kEquivalent) > 0 && only_equivalents_left());
}

bool PreemptionPass::only_equivalents_left() const {
  return kept_.preemptions == 1 && kept_.free.empty() &&
         std::ranges::none_of(schedules_, &ScheduleBranches::is_open);
}

std::optional<Beginning> PreemptionPass::to_show() const {
  if (kept_.preemptions == 0 || ended()) return std::nullopt;
  for (size_t i = 0; i < schedules_.size(); ++i) {
    if (is_missed(i)) return beginning_of(schedules_[i].kept().beginning);
  }
  return std::nullopt;
}

void PreemptionPass::show(const ExecutedSchedule& executed) {
  size_t missed = 0;
  while (!is_missed(missed)) ++missed;
  const bool same = executed.points.size() <= kMostPoints && schedules_[missed].show(executed);
  kept_.failures = same ? 0 : kept_.failures + 1;
  advance();
}

Runs PreemptionPass::next_runs() const {
  if (!kept_.free.empty()) return kept_.free.back();
  const Place place = *best();
  return schedules_[place.schedule].beginning_of_branch(place.branch);
}

// Of the schedule that has had the fewest.
std::optional<PreemptionPass::Place> PreemptionPass::best() const {
  std::optional<Place> best;
  uint64_t fewest = UINT64_MAX;
  const bool equivalents = only_equivalents_left();
  for (size_t i = 0; kept_.preemptions > 0 && i < schedules_.size(); ++i) {
    const uint64_t executed = schedules_[i].count(Fate::kExecuted);
    if (!schedules_[i].shown() || executed >= fewest) continue;
    const std::optional<size_t> branch =
        equivalents ? schedules_[i].best_equivalent() : schedules_[i].best();
    if (!branch) continue;
    best = {i, *branch};
    fewest = executed;
  }
  return best;
}

void PreemptionPass::take(const ExecutedSchedule& executed) {
  if (executed.points.size() > kMostPoints) {
    kept_.failures = kMostFailures;
    return;
  }
  if (kept_.preemptions == 0) {
    take_plain(executed);
  } else if (!kept_.free.empty()) {
    take_free(executed);
  } else {
    take_branch(executed);
  }
  advance();
}

void PreemptionPass::take_plain(const ExecutedSchedule& executed) {
  const Runs beginning = kept_.free.back();
  ScheduleBranches schedule(beginning);
  if (!schedule.show(executed)) {
    ++kept_.failures;
    return;
  }
  kept_.failures = 0;
  kept_.free.pop_back();
  add_free_choices(beginning, executed);
  schedules_.push_back(std::move(schedule));
  while (kept_.free.size() + schedules_.size() > kMostSchedules && !kept_.free.empty()) {
    kept_.free.pop_back();
    kept_.left_out[0] = true;
  }
}

// A server that was replaced by another one has its objects elsewhere: what came before is shown
// again, and the branch tried once more.
void PreemptionPass::take_branch(const ExecutedSchedule& executed) {
  const Place place = *best();
  ScheduleBranches& schedule = schedules_[place.schedule];
  const Runs beginning = schedule.beginning_of_branch(place.branch);
  if (schedule.fate(place.branch) == Fate::kEquivalent) return take_equivalent(executed, place);
  if (!executed.usable || !schedule.leads_to(place.branch, executed)) {
    const bool again = schedule.fate(place.branch) == Fate::kOpen;
    schedule.set(place.branch, again ? Fate::kAgain : Fate::kUnusable);
    return rest();
  }
  schedule.set(place.branch, Fate::kExecuted);
  add_returns(place, beginning, executed);
  kept_.schedule = place.schedule;
  kept_.branch = place.branch;
  kept_.block = {};
  add_execution(beginning, executed);
}

// What follows from it without a further preemption is equivalent to what was executed, too.
void PreemptionPass::take_equivalent(const ExecutedSchedule& executed, const Place& place) {
  ScheduleBranches& schedule = schedules_[place.schedule];
  const bool repeats = executed.usable && schedule.leads_to(place.branch, executed);
  schedule.set(place.branch, repeats ? Fate::kExecuted : Fate::kLeft);
  if (!repeats) {
    if (schedule.is_after_release(place.branch)) ++kept_.return_counts.unusable;
    return rest();
  }
  add_returns(place, schedule.beginning_of_branch(place.branch), executed);
}

void PreemptionPass::take_free(const ExecutedSchedule& executed) {
  const Runs beginning = std::move(kept_.free.back());
  kept_.free.pop_back();
  PassCounts& counts = kept_.returning ? kept_.return_counts : kept_.counts[kept_.preemptions - 1];
  ++counts.known;
  if (executed.usable) {
    ++counts.executed;
  } else {
    ++counts.unusable;
  }
  if (!kept_.returning) {
    add_execution(beginning, executed);
  } else if (executed.usable) {
    add_free_choices(beginning, executed);
  }
}

void PreemptionPass::add_free_choices(const Runs& beginning, const ExecutedSchedule& executed) {
  for (Runs& choice : free_choices(executed, length_of(beginning))) {
    kept_.free.push_back(std::move(choice));
  }
}

// What follows from it without a further preemption is executed next; then it is known what all
// that does to other branches.
void PreemptionPass::add_execution(const Runs& beginning, const ExecutedSchedule& executed) {
  ScheduleBranches& schedule = schedules_[kept_.schedule];
  add_block(kept_.block, executed, schedule.branch(kept_.branch).at,
            schedule.preempted(kept_.branch));
  if (executed.usable) {
    add_free_choices(beginning, executed);
    if (kept_.preemptions < kMostPreemptions && !executed.ended_early) {
      if (kept_.parents.size() < kMostParents) {
        kept_.parents.push_back(beginning);
      } else {
        kept_.left_out[1] = true;
      }
    }
  }
  if (kept_.free.empty()) schedule.cover(kept_.branch, kept_.block);
}

// To where something is to be executed, or shown, or nothing is left.
void PreemptionPass::advance() {
  while (!ended() && kept_.free.empty() && !to_show() && !best()) {
    if (begin_return()) return;
    if (kept_.preemptions < kMostPreemptions) {
      begin_round();
    } else {
      begin_parent();
    }
  }
}

void PreemptionPass::begin_round() {
  if (kept_.preemptions > 0) close_schedules();
  if (++kept_.preemptions == kMostPreemptions) begin_parent();
}

void PreemptionPass::begin_parent() {
  close_schedules();
  if (kept_.parent < kept_.parents.size()) {
    schedules_.emplace_back(kept_.parents[kept_.parent++]);
    return;
  }
  PassCounts& counts = kept_.counts[1];
  counts.done = counts.unusable == 0 && kept_.counts[0].done && !kept_.left_out[1];
  ++kept_.preemptions;
}

bool PreemptionPass::begin_return() {
  kept_.returning = kept_.preemptions == 1 && kept_.next_return < kept_.returns.size();
  if (kept_.returning) kept_.free.push_back(kept_.returns[kept_.next_return++]);
  return kept_.returning;
}

// Of an execution of that branch.
void PreemptionPass::add_returns(const Place& place, const Runs& beginning,
                                 const ExecutedSchedule& executed) {
  if (kept_.preemptions != 1 || !schedules_[place.schedule].is_after_release(place.branch)) return;
  for (Runs& one : returns_of(beginning, executed)) {
    if (kept_.returns.size() < kMostReturns) kept_.returns.push_back(std::move(one));
  }
}

void PreemptionPass::close_schedules() {
  if (schedules_.empty()) return;
  PassCounts& counts = kept_.counts[kept_.preemptions - 1];
  counts = counts_now();
  schedules_.clear();
}

bool PreemptionPass::all_with_one_covered() const {
  return kept_.preemptions == 1 && (kept_.next_return > 0 || only_equivalents_left());
}

PassCounts PreemptionPass::counts_now() const {
  PassCounts counts = kept_.counts[kept_.preemptions - 1];
  for (const ScheduleBranches& one : schedules_) {
    counts.known += one.size();
    counts.executed += one.count(Fate::kExecuted);
    counts.equivalent += one.count(Fate::kEquivalent) + one.count(Fate::kLeft);
    counts.unusable += one.count(Fate::kUnusable);
  }
  if (all_with_one_covered()) counts.done = counts.unusable == 0 && !kept_.left_out[0];
  return counts;
}

PassCounts PreemptionPass::returns_now() const {
  PassCounts counts = kept_.return_counts;
  counts.known += kept_.returns.size() - kept_.next_return;
  counts.done = kept_.preemptions > 1 && kept_.counts[0].done && counts.unusable == 0 &&
                kept_.returns.size() < kMostReturns;
  return counts;
}

uint64_t PreemptionPass::left() const {
  if (kept_.preemptions == 0 || ended()) return 0;
  if (kept_.returning) return kept_.returns.size() - kept_.next_return + kept_.free.size();
  const PassCounts counts = counts_now();
  return counts.known - counts.executed;
}

PassFigures PreemptionPass::figures() const {
  PassFigures figures{kept_.counts[0], returns_now(), kept_.counts[1], broken()};
  if (kept_.preemptions == 1) figures.one = counts_now();
  if (kept_.preemptions == 2) figures.two = counts_now();
  return figures;
}

}  // namespace esox::exhaustive
