// SPDX-License-Identifier: Apache-2.0
#include "harness/search/exhaustive/search_account.h"

#include <algorithm>
#include <stdexcept>

namespace esox::exhaustive {
namespace {

// Partial orders that are remembered; more are taken for new ones. About 200 MB.
constexpr size_t kMaxSeen = 4'000'000;
constexpr size_t kMostViolations = 1000;  // kept with their schedules

}  // namespace

SearchAccount::Seen& SearchAccount::seen(uint64_t partial_order) {
  const auto known = seen_.find(partial_order);
  if (known != seen_.end()) return known->second;
  if (seen_.size() < kMaxSeen) return seen_[partial_order];
  return not_remembered_ = {};
}

void SearchAccount::completed(const ExecutedSchedule& executed, uint64_t partial_order) {
  Seen& known = seen(partial_order);
  ++(known.completed ? result_.repeated : result_.partial_orders);
  known.completed = true;
  result_.ended_early += executed.ended_early;
  note_end(executed, known);
}

void SearchAccount::led_to_nothing_new(const ExecutedSchedule& executed,
                                       const StepPrecedence& so_far) {
  ++result_.cut_short;
  if (!executed.violation) return;
  StepPrecedence whole = so_far;
  while (whole.size() < executed.points.size()) whole.push(executed.points[whole.size()].step);
  note_end(executed, seen(whole.name()));
}

// A partial order counts once as violating, and once as divided.
void SearchAccount::note_end(const ExecutedSchedule& executed, Seen& known) {
  const Seen before = known;
  (executed.violation ? known.violating : known.well) = true;
  const bool was_divided = before.well && before.violating;
  result_.divided += known.well && known.violating && !was_divided ? 1 : 0;
  if (!known.violating || before.violating) return;
  ++result_.violating;
  if (result_.violations.size() == kMostViolations) return;
  Violation& violation = result_.violations.emplace_back();
  violation.what = executed.what;
  for (const Point& point : executed.points) violation.schedule.push_back(point.step.thread);
}

void SearchAccount::begins_round(uint32_t bound) {
  result_.round = bound;
  result_.earlier_rounds = result_.executions;
  result_.beyond_bound = 0;
  progressed(0);
}

void SearchAccount::ran_out() {
  const bool races_unknown = options_.bound == Bound::kNone && result_.ended_early > 0;
  result_.exhausted = result_.unusable == 0 && !races_unknown;
  progressed(1);
}

bool same_waiting(const std::vector<Waiting>& a, const std::vector<Waiting>& b) {
  return std::ranges::equal(a, b, [](const Waiting& x, const Waiting& y) {
    return x.enabled == y.enabled && x.operation.thread == y.operation.thread &&
           x.operation.kind == y.operation.kind && x.operation.object == y.operation.object;
  });
}

const Pending& pending_of(const std::vector<Waiting>& waiting, ThreadId thread) {
  for (const Waiting& one : waiting) {
    if (one.operation.thread == thread) return one.operation;
  }
  throw std::logic_error("a thread was chosen that is not there");
}

bool is_enabled(const std::vector<Waiting>& waiting, ThreadId thread) {
  return std::ranges::any_of(
      waiting, [&](const Waiting& one) { return one.enabled && one.operation.thread == thread; });
}

}  // namespace esox::exhaustive
