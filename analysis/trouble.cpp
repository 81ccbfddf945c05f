// SPDX-License-Identifier: Apache-2.0
#include "analysis/trouble.h"

#include <algorithm>
#include <tuple>

#include "base/text/enum_names.h"

namespace esox {
namespace {

bool is_exclusive(OpKind kind) {
  return kind != OpKind::kReadLock && kind != OpKind::kTryReadLock;
}

// Of a server's own latches nothing is predicted: which of them may be taken beside which others
// hangs on more than their order (InnoDB lets a transaction's own be taken before the lock table's
// and another one's after it).
bool is_latch(OpKind kind) {
  return kind == OpKind::kLatchShare || kind == OpKind::kLatchTake;
}

bool same_lock(const HeldLock& a, const HeldLock& b) {
  return std::tie(a.kind, a.object, a.site) == std::tie(b.kind, b.object, b.site);
}

// The sites of the steps, beginning with the least, so that a cycle has one key.
using Key = std::pair<TroubleKind, std::vector<std::pair<uint64_t, uint64_t>>>;

Key key_of(const Trouble& trouble) {
  Key key{trouble.kind, {}};
  for (const TroubleStep& step : trouble.steps) {
    key.second.emplace_back(step.holds.site, step.wants.site);
  }
  const auto least = std::ranges::min_element(key.second);
  std::rotate(key.second.begin(), least, key.second.end());
  return key;
}

}  // namespace

bool TroubleStep::operator==(const TroubleStep& other) const {
  return thread == other.thread && same_lock(holds, other.holds) && same_lock(wants, other.wants);
}

// One client's way through one execution.
class TroubleCollector::Walk {
 public:
  Walk(TroubleCollector& collector, const ExecutionRecord& record, ThreadId thread)
      : collector_(collector),
        thread_(thread),
        own_(record.choices, kNever),
        walk_(record.trace, thread) {}

  void run() {
    for (; walk_.ahead() != nullptr; walk_.pass()) {
      const TraceEvent& event = *walk_.ahead();
      look_at_lock(event);
      look_at_wake_up(event);
      if (event.kind == OpKind::kRequestEnd) look_at_reply(event);
    }
  }

 private:
  TroubleStep step(const TraceEvent& event, const HeldLock& holds = {}) const {
    return {thread_,
            collector_.records_,
            own_.passed(thread_, event.point),
            holds,
            {event.kind, event.object, event.site}};
  }

  void look_at_reply(const TraceEvent& event) {
    const std::vector<HeldLock>& held = walk_.held();
    const auto last = std::find_if(held.rbegin(), held.rend(),
                                   [](const HeldLock& lock) { return !is_latch(lock.kind); });
    if (last != held.rend()) collector_.note_held_at_reply(step(event, *last));
  }

  void look_at_lock(const TraceEvent& event) {
    if (event.kind == OpKind::kRequestBegin) taken_.clear();
    if (is_latch(event.kind)) return;
    if (asks_for_lock(event)) note_edges(event);
    if (asks_for_lock(event) || resumes_with_lock(event)) taken_.insert(event.object);
  }

  void note_edges(const TraceEvent& event) {
    const std::vector<HeldLock>& held = walk_.held();
    const auto again = [&](const HeldLock& lock) { return lock.object == event.object; };
    if (std::ranges::any_of(held, again)) return;  // recursive: it never waits
    for (const HeldLock& lock : held) {
      Edge edge{step(event, lock), {}};
      for (const HeldLock& other : held) {
        if (other.object == lock.object || is_latch(other.kind)) continue;
        edge.gates.insert({other.object, is_exclusive(other.kind)});
      }
      collector_.note(std::move(edge));
    }
  }

  void look_at_wake_up(const TraceEvent& event) {
    if (event.kind == OpKind::kCondSignal || event.kind == OpKind::kCondBroadcast) {
      collector_.note(Signal{step(event), taken_});
    }
    // Which mutex a wait goes with is told by the line with which it ends.
    if (waiting_ != nullptr && resumes_with_lock(event)) {
      collector_.note(Wait{step(*waiting_), event.object});
    }
    waiting_ = event.kind == OpKind::kCondWait ? &event : nullptr;
  }

  TroubleCollector& collector_;
  const ThreadId thread_;
  const OwnPoints own_;
  LockWalk walk_;
  std::set<uint64_t> taken_;             // locks, in this request
  const TraceEvent* waiting_ = nullptr;  // the line before, if it is a wait
};

uint64_t TroubleCollector::add(const ExecutionRecord& record) {
  for (size_t client = 0; client < clients_; ++client) {
    Walk(*this, record, static_cast<ThreadId>(client)).run();
  }
  return records_++;
}

void TroubleCollector::note_held_at_reply(TroubleStep step) {
  if (held_at_reply_.size() == kMostTroubles) return;
  held_at_reply_.push_back({TroubleKind::kHeldAtReply, {step}});
}

void TroubleCollector::note(Edge edge) {
  std::vector<Edge>& known = edges_[edge.step.holds.object];
  const auto same = [&](const Edge& one) {
    return one.step == edge.step && one.gates == edge.gates;
  };
  if (edge_count_ == kMostEdges || std::ranges::any_of(known, same)) return;
  known.push_back(std::move(edge));
  ++edge_count_;
}

void TroubleCollector::note(Signal signal) {
  const auto same = [&](const Signal& one) {
    return one.step == signal.step && one.mutexes == signal.mutexes;
  };
  if (signals_.size() == kMostWakeUps) return;
  if (std::ranges::none_of(signals_, same)) signals_.push_back(std::move(signal));
}

void TroubleCollector::note(Wait wait) {
  const auto same = [&](const Wait& one) {
    return one.step == wait.step && one.mutex == wait.mutex;
  };
  if (waits_.size() == kMostWakeUps) return;
  if (std::ranges::none_of(waits_, same)) waits_.push_back(wait);
}

// Depth first, from each edge; a cycle has each client once.
class TroubleCollector::Cycles {
 public:
  Cycles(const std::map<uint64_t, std::vector<Edge>>& edges, std::vector<Trouble>& found)
      : edges_(edges), found_(found) {}

  void run() {
    for (const auto& [object, starts] : edges_) {
      for (const Edge& start : starts) {
        path_ = {&start};
        extend();
      }
    }
  }

 private:
  // Who wants it has to wait for who holds it.
  static bool blocks(const HeldLock& wanted, const HeldLock& held) {
    return is_exclusive(wanted.kind) || is_exclusive(held.kind);
  }

  static bool kept_apart(const Edge& a, const Edge& b) {
    for (const auto& [object, exclusive] : a.gates) {
      if (b.gates.contains({object, true})) return true;
      if (exclusive && b.gates.contains({object, false})) return true;
    }
    return false;
  }

  bool may_join(const Edge& next) const {
    if (!blocks(path_.back()->step.wants, next.step.holds)) return false;
    return std::ranges::none_of(path_, [&](const Edge* one) {
      return one->step.thread == next.step.thread || kept_apart(*one, next);
    });
  }

  void extend() {
    const Edge& last = *path_.back();
    const Edge& first = *path_.front();
    if (path_.size() > 1 && last.step.wants.object == first.step.holds.object &&
        blocks(last.step.wants, first.step.holds)) {
      tell();
      return;
    }
    const auto next = edges_.find(last.step.wants.object);
    if (path_.size() == kLongestCycle || next == edges_.end()) return;
    for (const Edge& edge : next->second) {
      if (!may_join(edge)) continue;
      path_.push_back(&edge);
      extend();
      path_.pop_back();
    }
  }

  void tell() {
    Trouble trouble{TroubleKind::kLockOrder, {}};
    for (const Edge* edge : path_) trouble.steps.push_back(edge->step);
    found_.push_back(std::move(trouble));
  }

  const std::map<uint64_t, std::vector<Edge>>& edges_;
  std::vector<Trouble>& found_;
  std::vector<const Edge*> path_;
};

void TroubleCollector::add_signals(std::vector<Trouble>& found) const {
  for (const Wait& wait : waits_) {
    for (const Signal& signal : signals_) {
      const bool concerned = signal.step.wants.object == wait.step.wants.object &&
                             signal.step.thread != wait.step.thread;
      if (!concerned || signal.mutexes.contains(wait.mutex)) continue;
      found.push_back({TroubleKind::kUnguardedSignal, {wait.step, signal.step}});
    }
  }
}

std::vector<Trouble> TroubleCollector::troubles() const {
  std::vector<Trouble> found = held_at_reply_;
  Cycles(edges_, found).run();
  add_signals(found);
  std::map<Key, Trouble> distinct;
  for (Trouble& trouble : found) distinct.emplace(key_of(trouble), std::move(trouble));
  std::vector<Trouble> result;
  for (auto& [key, trouble] : distinct) {
    if (result.size() == kMostTroubles) break;
    result.push_back(std::move(trouble));
  }
  return result;
}

namespace {

// To where the step stands; for a signal, and for what comes after a reply, through it.
Segment way_to(const Trouble& trouble, const TroubleStep& step) {
  const bool waits = &step == trouble.steps.data() || trouble.kind == TroubleKind::kLockOrder;
  return {step.thread, waits ? step.own : kToTheEnd};
}

}  // namespace

std::vector<Schedule> schedules_of(const Trouble& trouble, size_t clients) {
  std::vector<Schedule> schedules;
  const bool cycle = trouble.kind == TroubleKind::kLockOrder;
  for (size_t first = 0; first < (cycle ? trouble.steps.size() : 1); ++first) {
    Schedule schedule;
    for (size_t i = 0; i < trouble.steps.size(); ++i) {
      const TroubleStep& step = trouble.steps[(first + i) % trouble.steps.size()];
      schedule.push_back(way_to(trouble, step));
    }
    for (size_t client = 0; client < clients; ++client) {
      const auto other = static_cast<ThreadId>(client);
      if (other != schedule.back().thread) schedule.push_back({other, kToTheEnd});
    }
    schedules.push_back(completed(schedule));
  }
  return schedules;
}

const char* trouble_name(TroubleKind kind) {
  static constexpr const char* kNames[] = {"lock order", "unguarded signal", "lock held at reply"};
  return name_in(kNames, kind);
}

}  // namespace esox
