// SPDX-License-Identifier: Apache-2.0
// See trouble.h.
#include "analysis/trouble.h"

#include <algorithm>
#include <tuple>

namespace esox {
namespace {

bool is_exclusive(OpKind kind) {
  return kind != OpKind::kReadLock && kind != OpKind::kTryReadLock;
}

bool same_lock(const HeldLock& a, const HeldLock& b) {
  return std::tie(a.kind, a.object, a.site) == std::tie(b.kind, b.object, b.site);
}

HeldLock operation_of(const TraceEvent& event) {
  return {event.kind, event.object, event.site};
}

// The sites of the steps, beginning with the least, so that a cycle has one key.
using Key = std::pair<TroubleKind, std::vector<std::pair<uint64_t, uint64_t>>>;

Key key_of(const Trouble& trouble) {
  Key key{trouble.kind, {}};
  for (const TroubleStep& step : trouble.steps) {
    key.second.emplace_back(step.holds.site, step.wants.site);
  }
  const auto least = std::min_element(key.second.begin(), key.second.end());
  std::rotate(key.second.begin(), least, key.second.end());
  return key;
}

}  // namespace

bool TroubleStep::operator==(const TroubleStep& other) const {
  return thread == other.thread && same_lock(holds, other.holds) && same_lock(wants, other.wants);
}

uint64_t TroubleCollector::add(const ExecutionRecord& record) {
  const uint64_t number = records_++;
  for (size_t client = 0; client < clients_; ++client) {
    walk(record, static_cast<ThreadId>(client), number);
  }
  return number;
}

void TroubleCollector::walk(const ExecutionRecord& record, ThreadId thread, uint64_t number) {
  std::set<uint64_t> taken;             // in this request
  const TraceEvent* waiting = nullptr;  // the line before, if it is a wait
  LockWalk walk(record.trace, thread);
  for (; walk.ahead() != nullptr; walk.pass()) {
    const TraceEvent& event = *walk.ahead();
    if (event.kind == OpKind::kRequestBegin) taken.clear();
    if (asks_for_lock(event)) note_edges(event, walk.held(), number);
    if (asks_for_lock(event) || resumes_with_lock(event)) taken.insert(event.object);
    const TroubleStep step{thread, number, event.point, {}, operation_of(event)};
    if (event.kind == OpKind::kCondSignal || event.kind == OpKind::kCondBroadcast) {
      signals_[event.object].push_back({step, taken});
    }
    if (event.kind == OpKind::kRequestEnd) note_held_at_reply(step, walk.held());
    // Which mutex a wait goes with is told by the line with which it ends.
    if (waiting != nullptr && resumes_with_lock(event)) {
      const TroubleStep wait{thread, number, waiting->point, {}, operation_of(*waiting)};
      waits_[waiting->object].push_back({wait, event.object});
    }
    waiting = event.kind == OpKind::kCondWait ? &event : nullptr;
  }
}

void TroubleCollector::note_held_at_reply(TroubleStep step, const std::vector<HeldLock>& held) {
  if (held.empty() || held_at_reply_.size() == kMostTroubles) return;
  step.holds = held.back();
  held_at_reply_.push_back({TroubleKind::kHeldAtReply, {step}});
}

void TroubleCollector::note_edges(const TraceEvent& event, const std::vector<HeldLock>& held,
                                  uint64_t number) {
  const auto again = [&](const HeldLock& lock) { return lock.object == event.object; };
  if (std::any_of(held.begin(), held.end(), again)) return;  // recursive: it never waits
  for (const HeldLock& lock : held) {
    Edge edge{{event.thread, number, event.point, lock, operation_of(event)}, {}};
    for (const HeldLock& other : held) {
      if (other.object != lock.object) edge.gates.insert({other.object, is_exclusive(other.kind)});
    }
    note_edge(std::move(edge));
  }
}

void TroubleCollector::note_edge(Edge edge) {
  std::vector<Edge>& known = edges_[edge.step.holds.object];
  const auto same = [&](const Edge& one) {
    return one.step == edge.step && one.gates == edge.gates;
  };
  if (edge_count_ >= kMostEdges || std::any_of(known.begin(), known.end(), same)) return;
  known.push_back(std::move(edge));
  ++edge_count_;
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
    return std::none_of(path_.begin(), path_.end(), [&](const Edge* one) {
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
  for (const auto& [object, waits] : waits_) {
    const auto signals = signals_.find(object);
    if (signals == signals_.end()) continue;
    for (const Wait& wait : waits) {
      for (const Signal& signal : signals->second) {
        if (signal.step.thread == wait.step.thread || signal.mutexes.contains(wait.mutex)) continue;
        found.push_back({TroubleKind::kUnguardedSignal, {wait.step, signal.step}});
      }
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

const char* trouble_name(TroubleKind kind) {
  switch (kind) {
    case TroubleKind::kLockOrder:
      return "lock order";
    case TroubleKind::kUnguardedSignal:
      return "unguarded signal";
    case TroubleKind::kHeldAtReply:
      return "lock held at reply";
  }
  return "";
}

}  // namespace esox
