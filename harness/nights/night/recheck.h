// SPDX-License-Identifier: Apache-2.0
// Known findings first: before the stages of a night, the schedules of findings of earlier nights
// are tried again on tonight's servers, re-aligned where those have changed
// (harness/findings/replay). So a regression is known in the first minutes, and is kept even if the
// night is cut short.
//
// Each try is `esox replay` in a process of its own, so that neither a server that hangs nor a
// fault of esox ends the night. What it told is in the triage store at once. That a schedule does
// not come says little (the search for it is short), so that it makes no finding gone; a try that
// could not be made (the server does not start, the setup fails, control was lost, the time was up)
// says nothing at all.
//
// Within a budget. Those that were gone or marked fixed, and those met lately, have two turns of
// five each, all others one; within each kind it is whose last try is the longest ago. So none
// waits for ever.
#pragma once

#include <atomic>
#include <chrono>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "harness/nights/night/recheck_result.h"
#include "harness/records/triage/store.h"

namespace esox {

// A server of tonight under one row of the options matrix.
struct RecheckTarget {
  std::string server_name;
  std::filesystem::path program;
  std::vector<std::string> options;
};

struct RecheckSpec {
  std::string night;
  std::filesystem::path esox;  // the command
  std::vector<RecheckTarget> targets;
  std::chrono::milliseconds budget{};
  std::chrono::milliseconds each{60'000};  // a single try, at most
  std::string isolation = "auto";
  std::filesystem::path folder;  // for the tries' words; exists
};

struct Rechecked {
  std::string finding;
  std::string headline;  // "latent: some/input on Aria"
  std::string server_name;
  RecheckResult result = RecheckResult::kCannotTell;
  std::string why;
  bool regressed = false;  // it was gone or marked fixed there, and came
};

struct RecheckAccount {
  std::vector<Rechecked> tried;
  size_t left = 0;     // for which there was no time
  size_t no_file = 0;  // findings of which no folder is left, or none fits a server of tonight
  double seconds = 0;
};

// `told` is called after each try. Those that were tried in this night already (it was resumed) are
// not again. Throws DatabaseError.
RecheckAccount recheck_known(const RecheckSpec& order, Store& store, const std::atomic<bool>& stop,
                             const std::function<void(const Rechecked&)>& told);

// ---- for the above, and tests

enum class RecheckKind { kGone, kMetLately, kOther };

struct RecheckCandidate {
  RecheckKind kind = RecheckKind::kOther;
  std::string last_tried;  // night; empty: never
  size_t number = 0;       // whatever the caller likes
};

// In the order in which they have their turn.
std::vector<RecheckCandidate> in_turn(std::vector<RecheckCandidate> candidates);

}  // namespace esox
