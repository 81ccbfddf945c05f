// SPDX-License-Identifier: Apache-2.0
// What is counted while a hunt goes on. A new counter is a member and a line of a field list here
// (base/record/record.h), the place where it is counted and the place where it is shown: hunt.json,
// hunt.db, progress.json, night.json and the sums over launches and shards follow from the list.
//
// Plain data.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "base/record/record.h"

namespace esox {

// Where the time of the workers went. The sum is the hunt's seconds times its jobs.
struct WorkerTime {
  double executing_s = 0;  // executions of any kind: concurrent, serial, confirming
  double preparing_s = 0;  // servers started and set up, brought to their snapshot
  double other_s = 0;      // judging, keeping, waiting

  double total_s() const { return executing_s + preparing_s + other_s; }
  // Of nothing, nothing is missing.
  double executing_share() const { return total_s() > 0 ? executing_s / total_s() : 1; }
};

void each_field(auto& f, Of<WorkerTime>) {
  f("executing", &WorkerTime::executing_s, kSum);
  f("preparing", &WorkerTime::preparing_s, kSum);
  f("other", &WorkerTime::other_s, kSum);
  f.derived("executing_share", [](const WorkerTime& it) { return it.executing_share(); });
}

// Of one input on one engine, or of all.
struct ExecutionCounts {
  uint64_t executions = 0;  // concurrent ones
  uint64_t degraded = 0;    // of them, not judged
  uint64_t draws = 0;       // of them, judged fresh draws (rate_text.h)
  uint64_t serial_executions = 0;
  uint64_t serial_steps = 0;   // of graphs of serial states (analysis/serial_graph.h)
  uint64_t serial_states = 0;  // reached by them
  uint64_t replays = 0;        // to confirm violations
  std::map<std::string, uint64_t> degraded_reasons;  // text -> executions
  // Of which it was judged who read what of whose transaction (analysis/dependency_graph.h), and
  // the anomalies that showed, by name -> executions.
  uint64_t judged_by_reads = 0;
  std::map<std::string, uint64_t> allowed_anomalies;
  std::map<std::string, uint64_t> forbidden_anomalies;
  // Reads, held against states that a log of rows tells (analysis/statement_views.h).
  uint64_t judged_reads = 0;
  std::map<std::string, uint64_t> unjudged_reads;  // reason -> reads
};

void each_field(auto& f, Of<ExecutionCounts>) {
  f("executions", &ExecutionCounts::executions, kRequired | kSum);
  f("degraded", &ExecutionCounts::degraded, kSum);
  f("draws", &ExecutionCounts::draws, kSum);
  f("serial_executions", &ExecutionCounts::serial_executions, kSum);
  f("serial_steps", &ExecutionCounts::serial_steps, kSum);
  f("serial_states", &ExecutionCounts::serial_states, kSum);
  f("replays", &ExecutionCounts::replays, kSum);
  f("degraded_reasons", &ExecutionCounts::degraded_reasons, kSum);
  f("judged_by_reads", &ExecutionCounts::judged_by_reads, kSum);
  f("allowed_anomalies", &ExecutionCounts::allowed_anomalies, kSum);
  f("forbidden_anomalies", &ExecutionCounts::forbidden_anomalies, kSum);
  f("judged_reads", &ExecutionCounts::judged_reads, kSum);
  f("unjudged_reads", &ExecutionCounts::unjudged_reads, kSum);
}

// Of the workers and their servers, which have no input of their own.
struct WorkerCounts {
  uint64_t memory_kib = 0;        // the most that esox and its kept servers held together
  uint64_t server_failures = 0;   // starts that failed and succeeded when tried again
  uint64_t workers_replaced = 0;  // with their servers, since an execution did not end
  WorkerTime time;
};

void each_field(auto& f, Of<WorkerCounts>) {
  f("memory_kib", &WorkerCounts::memory_kib, kMost);
  f("server_failures", &WorkerCounts::server_failures, kSum);
  f("workers_replaced", &WorkerCounts::workers_replaced, kSum);
  f("worker_seconds", &WorkerCounts::time, kSum);
}

// Of a whole hunt.
struct HuntCounts : ExecutionCounts, WorkerCounts {};

void each_field(auto& f, Of<HuntCounts>) {
  each_field(f, Of<ExecutionCounts>());
  each_field(f, Of<WorkerCounts>());
}

}  // namespace esox
