// SPDX-License-Identifier: Apache-2.0
// One concurrent execution as the harness hands it over: everything the analysis may look at.
//
// Plain data without behaviour. The harness fills it from the replies, the state summary and the
// shared memory of the preload; the analysis never asks the server anything. Clients are numbered
// as in the input; with clients under control a ThreadId is the client's number.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "preload/protocol/strategy_spec.h"
#include "preload/protocol/trace_event.h"
#include "summaries/outcome.h"

namespace esox {

inline constexpr uint64_t kNever = UINT64_MAX;

struct RequestId {
  size_t client = 0;
  size_t request = 0;
  auto operator<=>(const RequestId&) const = default;  // NOLINT(modernize-use-nullptr)
};
using RequestSet = std::set<RequestId>;

// When a request began and was answered, in scheduling points of the execution. Both ends are
// inclusive: A is before B in real time only if A's response < B's invocation.
struct Stamp {
  uint64_t invocation = 0;     // kNever: the server has not read it
  uint64_t response = kNever;  // kNever: no reply came
};

using Stamps = std::vector<std::vector<Stamp>>;  // [client][request]

// Requests of one client that take effect as one: a transaction, or a request on its own.
struct Unit {
  size_t first = 0;
  size_t last = 0;      // inclusive
  bool undone = false;  // the server says that it has undone all of it
  bool operator==(const Unit&) const = default;
};

struct Units {
  std::vector<std::vector<Unit>> of;  // [client]; every request is in one
  // Whether whole units take effect as in a serial order of them; else requests do.
  bool serial = false;
  bool server_ends = false;  // by a signal of the input's (ended_server.h) ...
  RequestSet left_out;       // ... and these requests are in no order
  bool operator==(const Units&) const = default;
};

// What no serial order of whole transactions gives, seen in the replies (dependency_graph.h).
struct Anomaly {
  std::string name;                // as Elle names it: "G-single"
  std::vector<std::string> lines;  // how it is known, each with the requests that show it
  bool forbidden = false;          // by the level of the input's sessions
  bool empty() const { return name.empty(); }
};

enum class EndingKind { kFinished, kCrash, kDeadlock, kHang, kDegraded };

// One edge of a wait-for cycle: `waiter` waits at `site` for `object`, which `holder` has.
struct WaitEdge {
  ThreadId waiter = kNoThread;
  ThreadId holder = kNoThread;
  OpKind kind = OpKind::kNone;
  uint64_t object = 0;
  uint64_t site = 0;
};

struct Ending {
  EndingKind kind = EndingKind::kFinished;
  std::vector<std::string> detail;   // for people: the log's tail, stacks, what was waited for
  int signal = 0;                    // crash: the fatal signal, 0 if not known
  std::vector<uint64_t> stack;       // crash: return addresses of the thread, innermost first
  std::vector<WaitEdge> wait_cycle;  // deadlock
};

// A file mapped into the server: [begin, end) covers all its segments; `load_base` is where the
// start of the file was mapped.
struct Module {
  uint64_t begin = 0;
  uint64_t end = 0;
  uint64_t load_base = 0;
  std::string path;

  std::string name() const { return path.substr(path.rfind('/') + 1); }
};

struct ExecutionRecord {
  uint64_t number = 0;  // of this execution within the hunt, from 1
  uint64_t seed = 0;
  std::string strategy;  // as given by the user: "pct:d=3"

  Outcome outcome;
  Stamps stamps;
  Units units;         // transactions.h; empty where the server has no transactions
  RequestSet cut_off;  // cut_off.h
  Anomaly anomaly;     // empty: none
  Ending ending;
  std::vector<std::string> degraded_reasons;  // not empty: control was lost somewhere

  std::vector<Choice> choices;
  std::vector<uint64_t> values;
  std::vector<TraceEvent> trace;
  std::map<uint64_t, std::string> names;  // hash of an object -> its path
  std::vector<Module> modules;
};

inline bool has_anomaly(const ExecutionRecord& record) {
  return !record.anomaly.empty() && record.anomaly.forbidden;
}

}  // namespace esox
