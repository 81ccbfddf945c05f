// SPDX-License-Identifier: Apache-2.0
// What both ways of searching keep alike: limits, results, and the partial orders seen.
#pragma once

#include <algorithm>
#include <unordered_map>

#include "harness/search/exhaustive/search.h"
#include "harness/search/exhaustive/step_precedence.h"

namespace esox::exhaustive {

class SearchAccount {
 public:
  explicit SearchAccount(const SearchOptions& options) : options_(options) {
    result_.bound = options.bound;
    result_.most = options.most;
  }

  void executed() { ++result_.executions; }

  // An execution came to its end, and has the partial order of this name.
  void completed(const ExecutedSchedule& executed, uint64_t partial_order);
  // It came from some point on, after `so_far`, to what is known; what it ended in counts all the
  // same, for plain memory accesses may make it another end.
  void led_to_nothing_new(const ExecutedSchedule& executed, const StepPrecedence& so_far);
  void was_unusable() { ++result_.unusable; }
  void left_out() { ++result_.beyond_bound; }

  // After an execution: so much of the tree is done.
  void progressed(double share) { result_.share = share; }
  // With a larger bound, from the beginning: what the last one left out is counted anew.
  void begins_round(uint32_t bound);
  // Nothing is left.
  void ran_out();

  const SearchResult& result() const { return result_; }

 private:
  // What is known of one partial order.
  struct Seen {
    bool completed = false;  // an execution that was not cut short had it
    bool well = false;       // so executions of it ended
    bool violating = false;
  };

  Seen& seen(uint64_t partial_order);
  void note_end(const ExecutedSchedule& executed, Seen& known);

  const SearchOptions options_;
  SearchResult result_;
  std::unordered_map<uint64_t, Seen> seen_;
  Seen not_remembered_;
};

// The point is the one that was met there before: the execution repeats itself so far.
bool same_waiting(const std::vector<Waiting>& a, const std::vector<Waiting>& b);

// Whether an execution went the way of these nodes.
bool repeats(const ExecutedSchedule& executed, const auto& nodes) {
  const auto same = [](const auto& node, const Point& point) {
    return point.step.thread == node.thread() && same_waiting(point.waiting, node.waiting);
  };
  return executed.points.size() >= nodes.size() &&
         std::equal(nodes.begin(), nodes.end(), executed.points.begin(), same);
}

// What the thread is about to do; it is there.
const Pending& pending_of(const std::vector<Waiting>& waiting, ThreadId thread);
bool is_enabled(const std::vector<Waiting>& waiting, ThreadId thread);

}  // namespace esox::exhaustive
