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

void SearchAccount::completed(const ExecutedSchedule& executed, uint64_t partial_order) {
  result_.ended_early += executed.ended_early;
  const size_t known = seen_.size();
  Ends unremembered;
  Ends& ends =
      known < kMaxSeen || seen_.contains(partial_order) ? seen_[partial_order] : unremembered;
  if (seen_.size() > known || &ends == &unremembered) {
    ++result_.partial_orders;
  } else {
    ++result_.repeated;
  }
  note_end(executed, ends);
}

void SearchAccount::led_to_nothing_new(const ExecutedSchedule& executed,
                                       const StepPrecedence& so_far) {
  ++result_.cut_short;
  if (!executed.violation) return;
  StepPrecedence whole = so_far;
  while (whole.size() < executed.points.size()) whole.push(executed.points[whole.size()].step);
  const auto known = seen_.find(whole.name());
  Ends ends;
  note_end(executed, known != seen_.end() ? known->second : ends);
}

// A partial order counts once as violating, and once as divided.
void SearchAccount::note_end(const ExecutedSchedule& executed, Ends& ends) {
  const Ends before = ends;
  (executed.violation ? ends.violating : ends.well) = true;
  result_.divided += ends.well && ends.violating && !(before.well && before.violating) ? 1 : 0;
  if (!ends.violating || before.violating) return;
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
