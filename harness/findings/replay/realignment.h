// SPDX-License-Identifier: Apache-2.0
// A finding's schedule, followed on a server that is not the one it was found on: a patched one,
// one with more logging, another version, the same one with other options.
//
// The schedule is told by segments ("thread t runs until it stands before this operation",
// analysis/schedule.h). One segment after the other, its thread is let run to its end, and
// the operation at which the segment ended when it was recorded is looked for in what the thread
// then did (alignment.h). Since executions are repeatable, what was aligned stays so. Then the
// whole schedule is executed; and if the violation does not come, its neighbourhood: one switch at
// a time at another occurrence of its operation, or some operations earlier or later, nearest
// first; then two at a time, drawn from a seed.
//
// Few switches decide: so they alone are carried over, and everything else may change.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "analysis/schedule.h"
#include "harness/findings/replay/alignment.h"

namespace esox {

// What became of a schedule on the server at hand.
struct Followed {
  size_t switches = 0;       // of the recorded schedule
  size_t to_the_letter = 0;  // of them: at the same operation, which has the same number
  size_t moved = 0;          // at the same operation, which has another number
  size_t lost = 0;           // their operation is not there: nearby
  size_t added = 0;          // operations before the switches that were not recorded
  size_t missing = 0;        // recorded ones that are not there
  size_t places = 0;         // stretches of both
};

// One execution of a schedule, as the search needs it.
struct Executed {
  bool same = false;      // it breaks as the finding does
  Operations operations;  // of the whole execution
  std::vector<Choice> choices;
  std::vector<uint64_t> values;
};

// Nothing: a limit is reached.
using ExecuteSchedule = std::function<std::optional<Executed>(const Schedule&)>;

struct Realigned {
  Followed followed;
  bool whole = false;               // all switches were looked for before a limit was reached
  std::optional<Executed> aligned;  // the whole schedule as it was carried over
  std::optional<Executed> found;    // that breaks as the finding does
  size_t varied = 0;    // in the neighbourhood: how many variants it took; 0: as aligned
  size_t variants = 0;  // tried in all
};

// `operations`: recorded with the schedule; empty: only numbers are known, and kept. `variants` is
// how many of the neighbourhood are tried at most.
Realigned realign(const Schedule& recorded, const Operations& operations, size_t variants,
                  uint64_t seed, const ExecuteSchedule& execute);

}  // namespace esox
