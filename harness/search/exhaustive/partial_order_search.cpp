// SPDX-License-Identifier: Apache-2.0
// Every partial order once: source sets and sleep sets (search.h).
//
// The current schedule is a path of nodes, one per point. A node's *source* holds the threads to be
// tried there; it begins with the one that was run, and grows when a later operation turns out to
// race with this node's step: then a thread with which the reversed order can begin is added. What
// was tried falls *asleep*: until a dependent step is executed, its continuation is known already.
#include <algorithm>

#include "harness/search/exhaustive/search_account.h"
#include "harness/search/exhaustive/step_precedence.h"

namespace esox::exhaustive {
namespace {

struct SourceNode {
  std::vector<Waiting> waiting;
  std::vector<ThreadId> source;
  std::vector<Step> asleep;
  ThreadId chosen = kNoThread;
  size_t tried = 0;  // of the source, here

  ThreadId thread() const { return chosen; }
  bool sleeps(ThreadId thread) const {
    return std::ranges::any_of(asleep, [&](const Step& step) { return step.thread == thread; });
  }
  bool in_source(ThreadId thread) const {
    return std::ranges::find(source, thread) != source.end();
  }
  // The first thread that may be tried; kNoThread if there is none.
  ThreadId awake() const {
    for (const Waiting& one : waiting) {
      if (one.enabled && !sleeps(one.operation.thread)) return one.operation.thread;
    }
    return kNoThread;
  }
};

class PartialOrderSearch final : public SearchInProgress {
 public:
  explicit PartialOrderSearch(const SearchOptions& options) : account_(options) {}

  Beginning next() const override;
  bool take(const ExecutedSchedule& executed) override {
    account_.executed();
    if (follow(executed) == Next::kSameBranch) return true;
    const bool more = advance();
    more ? account_.progressed(share()) : account_.ran_out();
    return more;
  }
  const SearchResult& result() const override { return account_.result(); }

 private:
  enum class Next { kBranch, kSameBranch };

  Next follow(const ExecutedSchedule& executed);
  bool open(const Point& point);
  void take_step(const ExecutedSchedule& executed, size_t at);
  void find_races(const Step& step, size_t end);
  void reverse(size_t at, const Step& step, size_t end);
  std::vector<ThreadId> beginnings_of(size_t at, const Step& step, size_t end) const;
  bool advance();
  double share() const;

  SearchAccount account_;
  std::vector<SourceNode> nodes_;
  StepPrecedence order_;  // of the nodes' steps
};

// Follows the path to its last node, whose step is new, and from there to the end.
PartialOrderSearch::Next PartialOrderSearch::follow(const ExecutedSchedule& executed) {
  if (!executed.usable || !repeats(executed, nodes_)) {
    account_.was_unusable();
    return Next::kBranch;
  }
  if (!nodes_.empty()) take_step(executed, nodes_.size() - 1);
  while (nodes_.size() < executed.points.size()) {
    const Point& point = executed.points[nodes_.size()];
    if (!open(point)) {
      account_.led_to_nothing_new(executed, order_);
      return Next::kBranch;
    }
    // The runner knows sleepers by what is pending only; what they did tells more.
    if (nodes_.back().chosen != point.step.thread) {
      account_.led_to_nothing_new(executed, order_);
      return Next::kSameBranch;
    }
    take_step(executed, nodes_.size() - 1);
  }
  account_.completed(executed, order_.name());
  return Next::kBranch;
}

// False if all threads are asleep: whatever follows was seen.
bool PartialOrderSearch::open(const Point& point) {
  SourceNode node;
  node.waiting = point.waiting;
  if (!nodes_.empty()) {
    const Step& last = order_.at(order_.size() - 1);
    for (const Step& step : nodes_.back().asleep) {
      if (independent(step, last)) node.asleep.push_back(step);
    }
  }
  const ThreadId awake = node.awake();
  if (awake == kNoThread) return false;
  node.chosen = node.sleeps(point.step.thread) ? awake : point.step.thread;
  node.source = {node.chosen};
  nodes_.push_back(std::move(node));
  return true;
}

// With the step at `at`. What it did races with what others did before; here all is told that may
// have to come first in the other order too. But what is pending races as well: a blocked operation
// may be possible only in an order that no execution of it shows (Flanagan and Godefroid). So what
// others are about to do races with this step; and what its thread is about to do next, or one that
// it let go on, with all.
void PartialOrderSearch::take_step(const ExecutedSchedule& executed, size_t at) {
  const Step& step = executed.points[at].step;
  find_races(step, at);
  order_.push(step);
  const bool last = at + 1 == executed.points.size();
  for (const Waiting& one : last ? executed.left : executed.points[at + 1].waiting) {
    const Step next{one.operation.thread, {one.operation}};
    if (next.thread == step.thread || lets_go_on(step, next.thread)) {
      find_races(next, at + 1);
    } else if (reversible(step, next)) {
      reverse(at, next, at + 1);
    }
  }
}

// Among the first `end` steps; of two that come one after the other by necessity, with the later.
void PartialOrderSearch::find_races(const Step& step, size_t end) {
  std::vector<size_t> found;
  for (size_t i = end; i-- > 0;) {
    if (order_.at(i).thread == step.thread || !reversible(order_.at(i), step)) continue;
    if (order_.before_next_of(step.thread, i, end)) continue;
    const bool covered =
        std::ranges::any_of(found, [&](size_t later) { return order_.before(i, later); });
    if (covered) continue;
    found.push_back(i);
    reverse(i, step, end);
  }
}

// Makes sure that the step is tried before the one at `at`.
void PartialOrderSearch::reverse(size_t at, const Step& step, size_t end) {
  SourceNode& node = nodes_[at];
  const std::vector<ThreadId> threads = beginnings_of(at, step, end);
  ThreadId possible = kNoThread;
  for (const ThreadId thread : threads) {
    if (node.in_source(thread) || node.sleeps(thread)) return;
    if (possible == kNoThread && is_enabled(node.waiting, thread)) possible = thread;
  }
  if (possible != kNoThread) {
    node.source.push_back(possible);
    return;
  }
  for (const Waiting& one : node.waiting) {
    if (one.enabled && !node.in_source(one.operation.thread)) {
      node.source.push_back(one.operation.thread);
    }
  }
}

// The threads with which a schedule can begin that goes from `at` through all later steps that do
// not need the one at `at`, and then the step.
std::vector<ThreadId> PartialOrderSearch::beginnings_of(size_t at, const Step& step,
                                                        size_t end) const {
  std::vector<size_t> kept;
  std::vector<ThreadId> threads;
  bool free = true;
  for (size_t i = at + 1; i < end; ++i) {
    if (order_.before(at, i)) continue;
    const bool first =
        std::ranges::none_of(kept, [&](size_t earlier) { return order_.before(earlier, i); });
    kept.push_back(i);
    if (first) threads.push_back(order_.at(i).thread);
    free &= order_.at(i).thread != step.thread && independent(order_.at(i), step) &&
            !order_.before_next_of(step.thread, i, end);
  }
  if (free) threads.insert(threads.begin(), step.thread);
  return threads;
}

// To the next branch that is to be tried, the deepest first; false if there is none.
bool PartialOrderSearch::advance() {
  while (!nodes_.empty()) {
    SourceNode& node = nodes_.back();
    const bool executed = order_.size() == nodes_.size();
    node.asleep.push_back(executed ? order_.at(order_.size() - 1)
                                   : Step{node.chosen, {pending_of(node.waiting, node.chosen)}});
    ++node.tried;
    order_.shorten(nodes_.size() - 1);
    for (const ThreadId thread : node.source) {
      if (node.sleeps(thread)) continue;
      node.chosen = thread;
      return true;
    }
    nodes_.pop_back();
  }
  return false;
}

double PartialOrderSearch::share() const {
  double done = 0;
  double part = 1;
  for (const SourceNode& node : nodes_) {
    const auto ahead =
        std::ranges::count_if(node.source, [&](ThreadId thread) { return !node.sleeps(thread); });
    const auto branches = static_cast<double>(node.tried) + static_cast<double>(ahead);
    done += part * static_cast<double>(node.tried) / branches;
    part /= branches;
  }
  return done;
}

Beginning PartialOrderSearch::next() const {
  Beginning result;
  for (const SourceNode& node : nodes_) result.threads.push_back(node.chosen);
  if (nodes_.empty()) return result;
  const SourceNode& last = nodes_.back();
  const Pending& next = pending_of(last.waiting, last.chosen);
  for (const Step& step : last.asleep) {
    if (independent(step, next)) result.asleep.push_back(step.thread);
  }
  return result;
}

}  // namespace

std::unique_ptr<SearchInProgress> begin_partial_orders(const SearchOptions& options) {
  return std::make_unique<PartialOrderSearch>(options);
}

}  // namespace esox::exhaustive
