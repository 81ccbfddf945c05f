// SPDX-License-Identifier: Apache-2.0
// A switch of an execution in the words that a developer needs: who was switched out where, after
// releasing and before acquiring what, and what the other one then ran.
//
// Pure.
#pragma once

#include <string>
#include <vector>

#include "analysis/execution_record.h"
#include "analysis/report/object_names.h"
#include "analysis/schedule.h"
#include "analysis/symbols.h"
#include "inputs/input.h"

namespace esox {

// An operation of the trace.
struct OperationDescription {
  std::string client;
  std::string role;       // of one that is a thread of the server's own (context_role.h)
  std::string operation;  // "lock mutex#3 (LOCK_open)"
  std::string function;   // that called it; empty: the beginning of its request
  std::string site;
  std::string below;  // the nearest caller with a name, where the function has none
  uint64_t point = kNever;
};

struct LockDescription {
  std::string name;         // "mutex#3 (LOCK_open)"
  std::string acquired_at;  // site
};

struct SwitchDescription {
  std::string from;
  std::string to;
  std::string from_role;  // empty: a client's thread
  std::string to_role;
  bool could_go_on = false;  // else it had to wait, repeated itself, or had ended
  bool repeated = false;
  bool ended = false;
  OperationDescription at;  // what it stood before; of a release, what it had just done
  std::string then;         // "ran B1 to its end"
  std::vector<LockDescription> held;
  std::string after;   // the lock it released last: "mutex#3 (LOCK_open)"; empty: none
  std::string before;  // the lock it acquired next
};

class Teller {
 public:
  // All outlive it. `points` is how many the execution had.
  Teller(const ExecutionRecord& record, uint64_t points, const Input& input, Symbols& symbols);

  const Schedule& schedule() const { return schedule_; }
  // At the end of segment `index`, which is not the last one.
  SwitchDescription at_switch(size_t index) const;
  std::vector<SwitchDescription> all_switches() const;
  // The thread's `own`-th operation, from 1; 0 is the beginning of its request.
  OperationDescription operation(ThreadId thread, uint32_t own) const;
  // Which of the execution's points that is.
  uint64_t point_of(ThreadId thread, uint32_t own) const { return own_.point_of(thread, own); }
  uint64_t site_of(ThreadId thread, uint32_t own) const;

 private:
  const TraceEvent* event_of(ThreadId thread, uint32_t own) const;
  std::string client(ThreadId thread) const;
  std::string object(OpKind kind, uint64_t object) const;
  std::string what_ran(size_t segment) const;
  bool has_ended(ThreadId thread) const;
  std::string requests_within(ThreadId thread, uint64_t begin, uint64_t end) const;

  const ExecutionRecord& record_;
  const Input& input_;
  Symbols& symbols_;
  ObjectNames objects_;
  Schedule schedule_;
  OwnPoints own_;
};

// "client A", "the server's thread T9 (waits in F, works mostly in G)".
std::string who(const std::string& name, const std::string& role);

// "in F (at F+0x1c)", or "at mariadbd+0x1c, below G"; empty for the beginning of a request.
std::string place(const OperationDescription& description);

// "Client A was switched out in F (at F+0x1c), after releasing L, before acquiring M; client B then
// ran B1 to its end."
std::string sentence(const SwitchDescription& description);

}  // namespace esox
