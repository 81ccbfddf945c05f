// SPDX-License-Identifier: Apache-2.0
// Trouble that good executions predict: nothing went wrong in them, but with another order of the
// same operations it could.
//
//   lock order       clients take two or more locks in orders that form a cycle. Not where a lock
//                    that all of them hold meanwhile (a gate) keeps them apart, nor where all only
//                    read (Havelund, "Using runtime analysis to guide model checking of Java
//                    programs", SPIN 2000, for the gates).
//   unguarded signal a client waits on a condition variable, and another signals it without having
//                    held the waiter's mutex in that request: the signal can fall between the
//                    waiter's look at its condition and its wait, and be lost. A signal that finds
//                    nobody waiting is no trouble in itself; servers make thousands.
//   held at reply    a request is answered, and its thread still holds a lock.
//
// It is a guess: what keeps the clients apart may be something that no trace shows. It is
// never a finding. Whoever has one tries the schedules in which it would come true, and what then
// happens is judged as any other execution.
//
// Objects are addresses: the records must be of executions of one input from one snapshot, or of
// one process. An address that was used anew for another lock may give a trouble that is none.
//
// Pure.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <vector>

#include "analysis/execution_record.h"
#include "analysis/held_locks.h"
#include "analysis/schedule.h"

namespace esox {

enum class TroubleKind { kLockOrder, kUnguardedSignal, kHeldAtReply };

// Where one client stands before what would complete the trouble.
struct TroubleStep {
  ThreadId thread = kNoThread;
  uint64_t record = 0;  // which of the records it was seen in, from 0
  uint32_t own = 0;     // the operation below is its thread's `own`-th there (analysis/schedule.h)
  HeldLock holds;       // none (kind kNone): it holds nothing that matters
  HeldLock wants;       // the operation: lock, wait, signal, end of the request
  bool operator==(const TroubleStep& other) const;
};

struct Trouble {
  TroubleKind kind = TroubleKind::kLockOrder;
  std::vector<TroubleStep> steps;  // of a cycle: each wants what the next one holds
};

// Collects over the executions of one input. Not for two threads at once.
class TroubleCollector {
 public:
  static constexpr size_t kMostEdges = 4096;    // "holds this, wants that"
  static constexpr size_t kMostWakeUps = 1024;  // signals, and waits
  static constexpr size_t kMostTroubles = 100;  // of one input
  static constexpr size_t kLongestCycle = 3;    // clients in it

  // Clients are the threads below `clients`.
  explicit TroubleCollector(size_t clients) : clients_(clients) {}

  // Returns the record's number, as in TroubleStep.
  uint64_t add(const ExecutionRecord& record);

  // Each once: by its kind and the call sites of its steps. In the order of those sites.
  std::vector<Trouble> troubles() const;

 private:
  struct Edge {
    TroubleStep step;
    std::set<std::pair<uint64_t, bool>> gates;  // also held: object, exclusively
  };
  struct Signal {
    TroubleStep step;
    std::set<uint64_t> mutexes;  // taken in that request before
  };
  struct Wait {
    TroubleStep step;
    uint64_t mutex = 0;
  };
  class Walk;
  class Cycles;

  void note(Edge edge);
  void note(Signal signal);
  void note(Wait wait);
  void note_held_at_reply(TroubleStep step);
  void add_signals(std::vector<Trouble>& found) const;

  size_t clients_;
  uint64_t records_ = 0;
  std::map<uint64_t, std::vector<Edge>> edges_;  // by the object that is held
  size_t edge_count_ = 0;
  std::vector<Signal> signals_;
  std::vector<Wait> waits_;
  std::vector<Trouble> held_at_reply_;
};

// Each brings all clients of the trouble, as far as nothing else keeps them from it, to where they
// stand in it, and lets them go on: of a cycle, one for each client that may come first.
std::vector<Schedule> schedules_of(const Trouble& trouble, size_t clients);

const char* trouble_name(TroubleKind kind);  // "lock order"

}  // namespace esox
