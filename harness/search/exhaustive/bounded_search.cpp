// SPDX-License-Identifier: Apache-2.0
// Every schedule within a bound, but for beginnings that amount to one that was followed
// (search.h).
//
// In rounds: all schedules without a preemption (or delay), then all with at most one, and so on to
// the bound (iterative context bounding: Musuvathi and Qadeer, PLDI 2007). Most bugs need few, and
// the tree of one is a small part of the next: by depth first alone, the bug of a server that the
// 704 schedules of one preemption show four times came after 78,000 of those of two. Rounds begin
// anew, as their frontier would be too large to keep.
#include <algorithm>
#include <unordered_map>

#include "harness/search/exhaustive/search_account.h"
#include "harness/search/exhaustive/step_precedence.h"
#include "preload/strategy/rng.h"

namespace esox::exhaustive {
namespace {

// Beginnings that are remembered; more are followed as if they were new. About 200 MB.
constexpr size_t kMaxRemembered = 4'000'000;

struct Branch {
  ThreadId thread = kNoThread;
  uint32_t spent = 0;  // with it
};

struct Node {
  std::vector<Waiting> waiting;
  std::vector<Branch> branches;  // within the bound, the cheapest first
  size_t taken = 0;
  // Of the points at which its first branch led on by first branches: their other branches, of
  // those that are done.
  size_t done_below = 0;

  const Branch& branch() const { return branches[taken]; }
  ThreadId thread() const { return branch().thread; }
};

class BoundedSearch final : public SearchInProgress {
 public:
  explicit BoundedSearch(const SearchOptions& options) : options_(options), account_(options) {}

  Beginning next() const override {
    Beginning beginning;
    for (const Node& node : nodes_) beginning.threads.push_back(node.thread());
    return beginning;
  }
  bool take(const ExecutedSchedule& executed) override {
    account_.executed();
    follow(executed);
    if (advance()) {
      account_.progressed(share_from(0));
    } else if (leaves_some_for_later_) {
      begin_round();
    } else {
      account_.ran_out();
      return false;
    }
    return true;
  }
  const SearchResult& result() const override { return account_.result(); }

 private:
  void follow(const ExecutedSchedule& executed);
  bool repeats_unguided(const ExecutedSchedule& executed);
  bool open(const Point& point);
  std::vector<Branch> branches_of(const Point& point);
  uint32_t cost_of(size_t place, bool current_can_run) const;
  bool advance();
  void begin_round();
  bool followed_already(const Node& node) const;
  double share_from(size_t first) const;

  ThreadId current() const { return nodes_.empty() ? kNoThread : nodes_.back().thread(); }
  uint32_t spent() const { return nodes_.empty() ? 0 : nodes_.back().branch().spent; }

  const SearchOptions options_;
  SearchAccount account_;
  uint32_t round_ = 0;                  // its bound
  bool leaves_some_for_later_ = false;  // to a round yet to come
  std::vector<Node> nodes_;
  std::vector<Point> unguided_;                      // of the execution begun with nothing
  StepPrecedence order_;                             // of the nodes' steps
  std::unordered_map<uint64_t, uint32_t> followed_;  // beginnings, and what they had spent
};

// A beginning leads on as its partial order and its running thread tell.
uint64_t key_of(uint64_t partial_order, ThreadId running) {
  uint64_t state = partial_order + running;
  return splitmix64(state);
}

void BoundedSearch::follow(const ExecutedSchedule& executed) {
  if (!executed.usable || !repeats(executed, nodes_)) return account_.was_unusable();
  if (nodes_.empty() && !repeats_unguided(executed)) return account_.was_unusable();
  if (!nodes_.empty()) order_.push(executed.points[nodes_.size() - 1].step);
  while (nodes_.size() < executed.points.size()) {
    const Point& point = executed.points[nodes_.size()];
    if (!open(point)) return account_.led_to_nothing_new(executed, order_);
    if (nodes_.back().thread() != point.step.thread) return account_.was_unusable();
    order_.push(point.step);
  }
  account_.completed(executed, order_.name());
}

// The first execution of each round is begun with nothing: it is the same one.
bool BoundedSearch::repeats_unguided(const ExecutedSchedule& executed) {
  if (round_ == 0) unguided_ = executed.points;
  return std::ranges::equal(unguided_, executed.points, [](const Point& a, const Point& b) {
    return a.step.thread == b.step.thread && same_waiting(a.waiting, b.waiting);
  });
}

// False if the schedule so far leads nowhere that another one did not lead.
bool BoundedSearch::open(const Point& point) {
  const uint64_t key = key_of(order_.name(), current());
  const auto known = followed_.find(key);
  if (known != followed_.end() && known->second <= spent()) return false;
  if (known != followed_.end()) {
    known->second = spent();
  } else if (followed_.size() < kMaxRemembered) {
    followed_.emplace(key, spent());
  }
  Node node;
  node.waiting = point.waiting;
  node.branches = branches_of(point);
  nodes_.push_back(std::move(node));
  return true;
}

// The running thread first, the others by their ids. Where the runner itself replaced one that
// could have gone on, it did so because that thread repeats itself (starvation), and would do so
// again.
std::vector<Branch> BoundedSearch::branches_of(const Point& point) {
  const std::vector<Waiting>& waiting = point.waiting;
  const bool can_stay = is_enabled(waiting, current()) && point.step.thread == current();
  std::vector<ThreadId> threads;
  if (can_stay) threads.push_back(current());
  for (const Waiting& one : waiting) {
    if (one.enabled && one.operation.thread != current()) threads.push_back(one.operation.thread);
  }
  std::vector<Branch> branches;
  for (size_t place = 0; place < threads.size(); ++place) {
    const uint32_t cost = spent() + cost_of(place, can_stay);
    if (cost <= round_) {
      branches.push_back({threads[place], cost});
    } else if (cost <= options_.most) {
      leaves_some_for_later_ = true;
    } else {
      account_.left_out();
    }
  }
  return branches;
}

uint32_t BoundedSearch::cost_of(size_t place, bool current_can_run) const {
  if (options_.bound == Bound::kDelays) return static_cast<uint32_t>(place);
  return current_can_run && place > 0 ? 1 : 0;
}

bool BoundedSearch::advance() {
  while (!nodes_.empty()) {
    Node& node = nodes_.back();
    order_.shorten(nodes_.size() - 1);
    while (++node.taken < node.branches.size()) {
      if (!followed_already(node)) return true;
    }
    const size_t others = node.done_below + node.branches.size() - 1;
    nodes_.pop_back();
    if (!nodes_.empty() && nodes_.back().taken == 0) nodes_.back().done_below += others;
  }
  return false;
}

void BoundedSearch::begin_round() {
  ++round_;
  leaves_some_for_later_ = false;
  followed_.clear();
  account_.begins_round(round_);
}

// As far as the pending operation tells what the step will do; if it does more, the name is another
// one, and the execution will tell.
bool BoundedSearch::followed_already(const Node& node) const {
  const auto& [thread, spent] = node.branch();
  const Step step{thread, {pending_of(node.waiting, thread)}};
  const auto known = followed_.find(key_of(order_.name_with(step), thread));
  return known != followed_.end() && known->second <= spent;
}

// From that point of the path on. A schedule that goes by first branches to its end, and all
// branches off it, count alike: by their depth alone, as in a tree without a bound, the last ones
// would count for nothing.
double BoundedSearch::share_from(size_t first) const {
  double all = 1;
  double done = 1;
  for (size_t i = first; i < nodes_.size(); ++i) {
    const Node& node = nodes_[i];
    all += static_cast<double>(node.branches.size() - 1);
    if (node.taken == 0) continue;
    all += static_cast<double>(node.done_below);
    done += static_cast<double>(node.done_below + node.taken - 1);
    return (done + (i + 1 < nodes_.size() ? share_from(i + 1) : 0)) / all;
  }
  return done / all;
}

}  // namespace

std::unique_ptr<SearchInProgress> begin_within_bound(const SearchOptions& options) {
  return std::make_unique<BoundedSearch>(options);
}

}  // namespace esox::exhaustive
