// SPDX-License-Identifier: Apache-2.0
#include "harness/search/exhaustive/schedule_branches.h"

#include <algorithm>
#include <bit>
#include <map>
#include <set>
#include <span>
#include <utility>

#include "harness/search/exhaustive/search_account.h"
#include "harness/search/exhaustive/step_precedence.h"
#include "preload/strategy/rng.h"

namespace esox::exhaustive {
namespace {

bool same_use(const Pending& a, const Pending& b) {
  return a.thread == b.thread && a.kind == b.kind && a.object == b.object;
}

void add(Block& block, const Pending& operation) {
  std::vector<Pending>& known = block.operations;
  if (std::ranges::none_of(known, [&](const Pending& one) { return same_use(one, operation); })) {
    known.push_back(operation);
  }
}

bool independent(const Step& step, const Block& block) {
  return std::ranges::all_of(
      block.operations, [&](const Pending& one) { return exhaustive::independent(step, one); });
}

// Names of objects are left out, for they may be others in another process of the server.
uint64_t name_of(const std::vector<Point>& points) {
  uint64_t state = points.size();
  const auto mix = [&](uint64_t word) {
    state ^= word;
    state = splitmix64(state);
  };
  for (const Point& point : points) {
    mix(point.step.thread);
    for (const Waiting& one : point.waiting) {
      mix(uint64_t{one.operation.thread} << 32 | static_cast<uint64_t>(one.operation.kind) << 1 |
          (one.enabled ? 1 : 0));
    }
  }
  return state == 0 ? 1 : state;
}

uint32_t reversed(uint32_t index, uint32_t bits) {
  uint32_t result = 0;
  for (uint32_t bit = 0; bit < bits; ++bit) {
    if ((index >> bit & 1) != 0) result |= 1u << (bits - 1 - bit);
  }
  return result;
}

// Of so many, the first, that in the middle, those at a quarter and three quarters, ...
std::vector<size_t> spread(size_t count) {
  const auto bits = static_cast<uint32_t>(std::bit_width(count));
  std::vector<size_t> result;
  for (uint32_t i = 0; i < 1u << bits; ++i) {
    const uint32_t place = reversed(i, bits);
    if (place < count) result.push_back(place);
  }
  return result;
}

bool acquires(const Pending& operation) {
  return effects::waits(effect_of(operation.kind));
}

bool releases(const Pending& operation) {
  return effects::releases(effect_of(operation.kind));
}

// What each thread has, from point to point. A release that is pending has taken place
// (preload/strategy/conflict.h); one without a point of its own is told after what was pending.
class Holdings {
 public:
  void take(const Step& step) {
    std::set<uint64_t>& held = held_[step.thread];
    for (const Pending& one : step.operations) {
      if (acquires(one)) held.insert(one.object);
      if (releases(one)) held.erase(one.object);
    }
  }
  // At the point where these wait.
  std::set<uint64_t> of(ThreadId thread, const std::vector<Waiting>& waiting) const {
    const auto known = held_.find(thread);
    std::set<uint64_t> held = known == held_.end() ? std::set<uint64_t>() : known->second;
    for (const Waiting& one : waiting) {
      if (one.operation.thread == thread && releases(one.operation)) {
        held.erase(one.operation.object);
      }
    }
    return held;
  }

 private:
  std::map<ThreadId, std::set<uint64_t>> held_;
};

// What the thread acquires among these points.
std::set<uint64_t> acquired_by(ThreadId thread, std::span<const Point> points) {
  std::set<uint64_t> acquired;
  for (const Point& point : points) {
    if (point.step.thread != thread) continue;
    for (const Pending& one : point.step.operations) {
      if (acquires(one)) acquired.insert(one.object);
    }
  }
  return acquired;
}

bool have_one_in_common(const std::set<uint64_t>& a, const std::set<uint64_t>& b) {
  return std::ranges::any_of(a, [&](uint64_t one) { return b.contains(one); });
}

// What the thread that has run up to this point has given back since its point before.
std::set<uint64_t> released_at(const std::vector<Point>& points, size_t at) {
  const Step& last = points[at - 1].step;
  std::set<uint64_t> released;
  const auto add = [&](const Pending& one) {
    if (releases(one)) released.insert(one.object);
  };
  for (size_t i = 1; i < last.operations.size(); ++i) add(last.operations[i]);
  for (const Waiting& one : points[at].waiting) {
    if (one.operation.thread == last.thread) add(one.operation);
  }
  return released;
}

// The running thread could have gone on, and whoever made the execution let it.
bool goes_on(const std::vector<Point>& points, size_t at) {
  const ThreadId running = points[at - 1].step.thread;
  return points[at].step.thread == running && is_enabled(points[at].waiting, running);
}

}  // namespace

Beginning beginning_of(const Runs& runs) {
  Beginning beginning;
  for (const Run& run : runs) {
    beginning.threads.insert(beginning.threads.end(), run.points, run.thread);
  }
  return beginning;
}

size_t length_of(const Runs& runs) {
  size_t length = 0;
  for (const Run& run : runs) length += run.points;
  return length;
}

void append(Runs& runs, ThreadId thread) {
  if (runs.empty() || runs.back().thread != thread) runs.push_back({thread, 0});
  ++runs.back().points;
}

void add_block(Block& block, const ExecutedSchedule& executed, size_t at, ThreadId preempted) {
  const std::vector<Point>& points = executed.points;
  if (!executed.usable || executed.ended_early) block.open_ended = true;
  size_t end = at;
  for (; end < points.size() && points[end].step.thread != preempted; ++end) {
    for (const Pending& one : points[end].step.operations) add(block, one);
    // Whoever repeats itself was replaced for that (starvation), by what the others did as well.
    const ThreadId running = points[end].step.thread;
    const bool replaced = end + 1 < points.size() && points[end + 1].step.thread != running &&
                          is_enabled(points[end + 1].waiting, running);
    if (replaced) block.open_ended = true;
  }
  const std::vector<Waiting>& waiting = end < points.size() ? points[end].waiting : executed.left;
  for (const Waiting& one : waiting) {
    if (one.operation.thread != preempted) add(block, one.operation);
  }
}

bool ScheduleBranches::show(const ExecutedSchedule& executed) {
  const size_t begun = length_of(kept_.beginning);
  if (!executed.usable || executed.points.size() < begun) return false;
  const uint64_t name = name_of(executed.points);
  const bool first = !known();
  if (!first && name != kept_.name) return false;
  points_ = executed.points;
  left_ = executed.left;
  find_branches();
  if (!first && kept_.fates.size() != branches_.size()) {
    forget();
    return false;
  }
  kept_.name = name;
  shown_ = true;
  if (first) kept_.fates.assign(branches_.size(), static_cast<char>(Fate::kOpen));
  order_ = spread(branches_.size());
  if (first && !executed.ended_early) cover_ends();
  return true;
}

void ScheduleBranches::forget() {
  shown_ = false;
  points_ = {};
  left_ = {};
  branches_ = {};
  order_ = {};
}

void ScheduleBranches::find_branches() {
  branches_.clear();
  const size_t begun = std::max<size_t>(length_of(kept_.beginning), 1);
  for (size_t at = begun; at < points_.size(); ++at) {
    if (!goes_on(points_, at)) continue;
    for (const Waiting& one : points_[at].waiting) {
      if (!one.enabled || one.operation.thread == points_[at].step.thread) continue;
      branches_.push_back({static_cast<uint32_t>(at), one.operation.thread});
    }
  }
}

bool ScheduleBranches::is_open() const {
  return !known() || count(Fate::kOpen) + count(Fate::kAgain) > 0;
}

uint64_t ScheduleBranches::count(Fate fate) const {
  return static_cast<uint64_t>(std::ranges::count(kept_.fates, static_cast<char>(fate)));
}

std::optional<size_t> ScheduleBranches::best() const {
  return first_of(Fate::kOpen, Fate::kAgain);
}

std::optional<size_t> ScheduleBranches::best_equivalent() const {
  return first_of(Fate::kEquivalent, Fate::kEquivalent);
}

std::optional<size_t> ScheduleBranches::first_of(Fate one, Fate other) const {
  const auto found = std::ranges::find_if(
      order_, [&](size_t index) { return fate(index) == one || fate(index) == other; });
  if (found == order_.end()) return std::nullopt;
  return *found;
}

Runs ScheduleBranches::beginning_of_branch(size_t index) const {
  Runs runs;
  for (uint32_t i = 0; i < branches_[index].at; ++i) append(runs, points_[i].step.thread);
  append(runs, branches_[index].thread);
  return runs;
}

bool ScheduleBranches::leads_to(size_t index, const ExecutedSchedule& executed) const {
  const Branch& branch = branches_[index];
  if (executed.points.size() <= branch.at) return false;
  for (size_t i = 0; i <= branch.at; ++i) {
    const ThreadId thread = i < branch.at ? points_[i].step.thread : branch.thread;
    if (executed.points[i].step.thread != thread) return false;
    if (!same_waiting(executed.points[i].waiting, points_[i].waiting)) return false;
  }
  return true;
}

std::optional<size_t> ScheduleBranches::find(uint32_t at, ThreadId thread) const {
  const auto found =
      std::ranges::lower_bound(branches_, std::pair(at, thread), {},
                               [](const Branch& one) { return std::pair(one.at, one.thread); });
  if (found == branches_.end() || found->at != at || found->thread != thread) return std::nullopt;
  return static_cast<size_t>(found - branches_.begin());
}

bool ScheduleBranches::is_after_release(size_t index) const {
  const Branch& branch = branches_[index];
  const std::set<uint64_t> released = released_at(points_, branch.at);
  return !released.empty() && have_one_in_common(released, acquired_by(branch.thread, points_));
}

// False: there is no such branch, and none beyond it follows.
bool ScheduleBranches::cover_one(uint32_t at, ThreadId thread) {
  const std::optional<size_t> index = find(at, thread);
  if (!index) return false;
  if (fate(*index) != Fate::kExecuted) set(*index, Fate::kEquivalent);
  return true;
}

void ScheduleBranches::cover_from(uint32_t at, ThreadId thread, ThreadId preempted,
                                  const Block& block) {
  for (uint32_t left = at; left > 1 && step_is_of(left - 1, preempted); --left) {
    if (!independent(points_[left - 1].step, block)) break;
    if (!cover_one(left - 1, thread)) break;
  }
  for (uint32_t right = at; step_is_of(right, preempted); ++right) {
    if (!independent(points_[right].step, block) || !cover_one(right + 1, thread)) break;
  }
}

void ScheduleBranches::cover(size_t index, const Block& block) {
  if (block.open_ended) return;
  const Branch& branch = branches_[index];
  cover_from(branch.at, branch.thread, preempted(index), block);
}

// Where a thread could not go on, the one that came on may as well have come a little earlier: as
// long as no third one could have come instead, what it does is known from here.
void ScheduleBranches::cover_ends() {
  for (size_t at = std::max<size_t>(length_of(kept_.beginning), 1); at < points_.size(); ++at) {
    const ThreadId before = points_[at - 1].step.thread;
    const ThreadId after = points_[at].step.thread;
    if (before == after || is_enabled(points_[at].waiting, before)) continue;
    const auto others = std::ranges::count_if(
        points_[at].waiting, [&](const Waiting& one) { return one.operation.thread != before; });
    if (others != 1) continue;
    Block block;
    add_block(block, {.points = points_, .left = left_}, at, before);
    if (!block.open_ended) cover_from(static_cast<uint32_t>(at), after, before, block);
  }
}

std::vector<Runs> returns_of(const Runs& beginning, const ExecutedSchedule& executed) {
  const size_t begun = length_of(beginning);
  const std::vector<Point>& points = executed.points;
  if (beginning.size() < 2 || points.size() < begun) return {};
  const ThreadId preempted = beginning[beginning.size() - 2].thread;
  const std::set<uint64_t> had = acquired_by(preempted, std::span(points).first(begun));
  std::vector<Runs> returns;
  Holdings holdings;
  Runs runs;
  for (size_t at = 0; at < points.size(); ++at) {
    const bool may_return = at >= begun && goes_on(points, at) &&
                            points[at].step.thread != preempted &&
                            is_enabled(points[at].waiting, preempted);
    if (may_return &&
        have_one_in_common(holdings.of(points[at].step.thread, points[at].waiting), had)) {
      append(returns.emplace_back(runs), preempted);
    }
    holdings.take(points[at].step);
    append(runs, points[at].step.thread);
  }
  return returns;
}

std::vector<Runs> free_choices(const ExecutedSchedule& executed, size_t from) {
  std::vector<Runs> choices;
  Runs runs;
  for (size_t at = 0; at < executed.points.size(); ++at) {
    const Point& point = executed.points[at];
    const ThreadId running = at == 0 ? kNoThread : executed.points[at - 1].step.thread;
    if (at >= from && !is_enabled(point.waiting, running)) {
      for (const Waiting& one : point.waiting) {
        if (!one.enabled || one.operation.thread == point.step.thread) continue;
        append(choices.emplace_back(runs), one.operation.thread);
      }
    }
    append(runs, point.step.thread);
  }
  return choices;
}

}  // namespace esox::exhaustive
