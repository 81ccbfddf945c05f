// SPDX-License-Identifier: Apache-2.0
// The one contract between harness and preload: a block of shared memory.
//
// Ownership: the harness creates the file, fills in the configuration while `phase` is kIdle and
// sets `phase` to kArming. From then until kEnded everything but `phase` (kReleased) belongs to the
// preload; afterwards the harness reads the results and sets kIdle again.
//
//   kIdle --harness--> kArming --preload: all requests arrived--> kRunning --preload--> kEnded
//   kArming/kRunning --harness or preload: control given up--> kReleased --harness--> kIdle
//
// Words that the two processes wait on are futexes (not FUTEX_PRIVATE): `phase` and `slots[].go`.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "preload/protocol/accesses.h"
#include "preload/protocol/conflict_filter.h"
#include "preload/protocol/data_choice.h"
#include "preload/protocol/layout.h"
#include "preload/protocol/object_points.h"
#include "preload/protocol/program.h"
#include "preload/protocol/snapshot.h"
#include "preload/protocol/strategy_spec.h"
#include "preload/protocol/trace_event.h"
#include "preload/protocol/waiting.h"

namespace esox {

enum class Phase : uint32_t { kIdle = 0, kArming = 1, kRunning = 2, kEnded = 3, kReleased = 4 };

// Who is controlled: the threads that serve tagged clients, or every thread from the start.
enum class ControlMode : uint32_t { kClients = 0, kProgram = 1 };

enum class ControlEnding : uint32_t {
  kNone = 0,
  kFinished = 1,    // every session ended
  kDeadlock = 2,    // cycle[] says who waits for whom
  kHang = 3,        // step limit reached, or nothing but time goes on
  kReleased = 4,    // control was given up; see degraded
  kOutOfOrder = 5,  // serial: a request waits for one that is to come later
};

// Why an execution cannot be judged. A bit each; several may be set.
enum DegradedReason : uint32_t {
  kDegradedTraceFull = 1u << 0,
  kDegradedChoicesFull = 1u << 1,
  kDegradedTableFull = 1u << 2,     // more locks, waiters or threads than the arena holds
  kDegradedLostThread = 1u << 3,    // a thread blocked where control does not reach
  kDegradedNoRequest = 1u << 4,     // a client did not send its next request in time
  kDegradedReplay = 1u << 5,        // recorded choices could not be followed
  kDegradedExternalWait = 1u << 7,  // the deadlock or hang involves threads not controlled
  kDegradedUnsupported = 1u << 8,   // an operation that esox cannot decide (priority futexes, ...)
  kDegradedProtocol = 1u << 9,      // versions differ
  kDegradedListing = 1u << 10,      // a folder could not be listed in order
};

enum class ThreadState : uint32_t {
  kFree = 0,
  kReady = 1,     // parked before its pending operation, or running
  kWaiting = 2,   // in a virtual wait: condition variable, futex, sleep
  kExternal = 3,  // waits for a lock that a thread outside control holds
  kAway = 4,      // inside a call that blocks outside control
  kFinished = 5,
};

struct alignas(64) ThreadSlot {
  std::atomic<uint32_t> go;  // futex: 1 = you are chosen
  uint32_t tid;
  ThreadState state;
  OpKind pending_kind;
  uint8_t detached;  // nobody will join it
  uint8_t reserved[2];
  uint64_t pending_object;
  uint64_t pending_site;
  uint64_t points;   // scheduling points this thread passed
  uint64_t routine;  // that it was made to run; 0: the main thread, or not known
};

struct CycleEntry {
  ThreadId thread;  // waits ...
  ThreadId owner;   // ... for this one (kNoThread: nobody left to wake it; itself: it could go on)
  OpKind kind;      // in this operation
  uint8_t reserved[3];
  uint64_t object;      // on this object
  uint64_t site;        // called here
  uint64_t owner_site;  // where the owner acquired it; 0 unknown
};

// Stamped by the scheduler in points; the real-time order of requests.
struct RequestStamp {
  uint64_t invocation;
  uint64_t response;  // UINT64_MAX: never answered
};

struct CrashRecord {
  std::atomic<uint32_t> state;  // futex: 0 none, 1 crashed and waiting, 2 harness has looked
  uint32_t signal;
  uint32_t tid;
  ThreadId thread;  // if controlled, else kNoThread
  uint16_t reserved;
  uint64_t address;
  uint64_t pc;
};

struct ControlBlock {
  // Header.
  uint64_t magic;
  uint32_t version;
  uint32_t bytes;

  // Configuration, by the harness.
  ControlMode mode;
  uint32_t clients;
  uint32_t participants;           // clients that will send any request
  uint32_t requests[kMaxClients];  // requests each client will send
  uint32_t signal_client;          // 1 + index of the client whose requests are signals, 0 none
  uint8_t signals[kMaxRequests];   // that it will send
  uint32_t ends_server;            // 1: the last of them does; who polls without limit is a context
  StrategySpec strategy;
  uint64_t seed;
  uint64_t expected_points;                  // offered points of a serial run; 0 unknown
  uint32_t expected_points_of[kMaxClients];  // by thread, of the first ones; 0 unknown
  uint64_t step_limit;
  uint32_t release_point_odds;  // of release points 1 in N is offered to the strategy; 0 none
  uint32_t starvation_limit;    // repeats of one (site, object) without a switch before demotion
  uint32_t grace_ms;            // how long quiescence waits for threads outside control
  uint32_t deadlock_grace_ms;   // how long a thread outside control may go on running meanwhile
  uint32_t patience_ms;         // how long before waits without a waker are called a deadlock
  uint32_t request_wait_ms;     // how long a session waits for its client's next request
  uint32_t background;          // 1: the server's own threads, too (preload/scheduler/contexts.cpp)
  DataChoiceModes data_choices;
  uint32_t skip_sync;     // 1: fsync and the like return at once; nobody tests power failures
  int64_t clock_base_ns;  // virtual CLOCK_REALTIME at start; 0: the real one
  uint32_t serial_length;
  uint32_t replay_choice_count;
  uint32_t replay_value_count;
  ContextsFirst contexts_first;  // serial
  ThreadId serial_order[kMaxClients * kMaxRequests];
  char root[kMaxRootBytes];  // the private folder: names of files are kept relative to it
  ObjectPoints shared_objects[kMaxSharedObjects];  // from earlier executions of the input
  uint32_t shared_object_count;
  uint32_t filter_mask;  // of filter_places (conflict_filter.h); 0: every point is offered
  AccessPlan accesses;

  // Live.
  std::atomic<Phase> phase;                 // futex
  std::atomic<uint32_t> connecting_client;  // 1 + index of the client now connecting, 0 none,
                                            // kOwnConnection: the harness itself
  std::atomic<uint32_t> loaded;             // 1 once the preload has mapped this block
  std::atomic<uint32_t> tagged;             // bit per client whose connection is known
  std::atomic<uint64_t> heartbeat;          // grows while controlled threads make progress
  std::atomic<uint32_t> arrived;            // sessions held at their first request
  std::atomic<uint32_t> quiescent;          // 1 while the scheduler itself waits
  std::atomic<uint64_t> awaited_signals;    // that a thread waits for, or has: 1 << (signal - 1)
  SnapshotTimes snapshot_times;             // of the last fork
  // The server's descriptor of each connection that was announced; see connecting_client.
  std::atomic<int32_t> connection_fd[kMaxClients + 1];

  // Results, by the preload.
  ControlEnding ending;
  std::atomic<uint32_t> degraded;  // DegradedReason bits
  uint64_t points;
  uint64_t offered;
  uint64_t offered_of[kMaxClients];  // the same by thread, of the first ones
  uint64_t switches;
  uint64_t demotions;
  uint64_t virtual_elapsed_ns;
  uint64_t timer_firings;
  uint64_t external_wakes;
  uint64_t external_lock_waits;
  uint32_t diverged;
  uint32_t waited_out;  // 1: a deadlock, for nobody had come in patience_ms
  uint32_t threads;
  uint32_t cycle_length;
  uint32_t choice_count;
  uint32_t value_count;
  uint32_t trace_count;
  uint32_t name_bytes;
  uint32_t waiting_count;
  CycleEntry cycle[kMaxCycle];
  RequestStamp stamps[kMaxClients][kMaxRequests];
  CrashRecord crash;
  ThreadSlot slots[kMaxSlots];
  ProgramForks forks;
  AccessResults accesses_seen;

  // Bulk.
  Choice replay_choices[kMaxChoices];
  uint64_t replay_values[kMaxValues];
  Choice choices[kMaxChoices];
  uint64_t values[kMaxValues];
  TraceEvent trace[kMaxTraceEvents];
  char names[kMaxNameBytes];  // records: uint64 hash, uint32 length, bytes (no terminator)
  uint64_t filter_places[kMaxFilterPlaces];
  uint64_t access_sites[kMaxAccessSites];
  uint64_t learned_sites[kMaxAccessSites];
  WaitingThread waiting[kMaxWaiting];  // under strategy prefix
};

static_assert(std::atomic<uint32_t>::is_always_lock_free);
static_assert(std::atomic<uint64_t>::is_always_lock_free);

}  // namespace esox
