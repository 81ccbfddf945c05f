// SPDX-License-Identifier: Apache-2.0
// The determinism gate: before a hunt, is this machine one on which the same seed gives the same
// execution? All that is told afterwards - findings, replays, verdicts - rests on it.
//
// A few inputs, spread over the engines, are executed twice each with one seed from a fresh state.
// Traces should be equal (nearly always) and outcomes must be.
#pragma once

#include <atomic>
#include <cstddef>
#include <string>
#include <vector>

#include "harness/hunt/exploration.h"
#include "harness/records/report.h"

namespace esox {

inline constexpr size_t kGateRuns = 3;

// Which of these explorations, given the engine and the input of each: at most `limit` indices, of
// different engines and different inputs as far as there are any. Pure.
struct GateCandidate {
  std::string engine;
  std::string input;
};
std::vector<size_t> pick_for_gate(const std::vector<GateCandidate>& candidates,
                                  size_t limit = kGateRuns);

// Two executions compared. Pure.
struct GateComparison {
  bool same_trace = false;
  bool same_outcome = false;
  std::string difference;  // one line; empty if both are equal
};
GateComparison compare_executions(const ExecutionRecord& first, const ExecutionRecord& second,
                                  const Masks& masks, const Input& input);

// Prepares the explorations it uses, which the hunt has then for free. Ends early once `stop`.
// Throws SetupError, ServerError.
GateReport run_gate(Executor& executor, const std::vector<Exploration*>& explorations,
                    const std::atomic<bool>& stop);

}  // namespace esox
