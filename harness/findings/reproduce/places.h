// SPDX-License-Identifier: Apache-2.0
// Which places to hold threads at give a finding's violation on a plain server in every round, and
// the ones of these that are best to explain: functions with names, as far out as possible.
//
// Tried first are the places of the recorded schedule, at the recorded hit and its neighbours (a
// plain server reads its statistics tables, say, and comes to a place once more). Then each place
// is hoisted: to the entry of a function on its thread's stack, or the return from it, the
// outermost first; and a thread that need not be held within its request is not held at all, but
// sent its request later. Last, a neighbour at which the thread is held and all is well is looked
// for, to set against it.
//
// Pure but for `execute`.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "harness/findings/reproduce/holds.h"

namespace esox {

inline constexpr size_t kMaxHoists = 10;  // functions of a stack, from the innermost on
inline constexpr unsigned kSurely = 20;   // rounds, each of which must violate
// Where a round takes seconds, for it stands still; the last rounds are as many as of any other.
inline constexpr unsigned kSurelySlow = 3;
inline constexpr size_t kMaxHitVariants = 40;

// At segment `segment`'s hold it is told how often these functions had been entered.
struct CountedFunctions {
  size_t segment = 0;
  std::vector<std::string> functions;
};

struct HoldRounds {
  unsigned rounds = 0;
  unsigned violated = 0;
  unsigned held = 0;             // as told, and not violated
  std::vector<unsigned> counts;  // as counted functions were asked for

  bool all_violate(unsigned asked) const { return violated == asked; }
};

struct RoundsWanted {
  unsigned rounds = kSurely;
  bool all_must = true;  // violate: the first that does not is the last
  CountedFunctions counted;
};

// Nothing: the budget is spent.
using TryHolds =
    std::function<std::optional<HoldRounds>(const Holds& holds, const RoundsWanted& wanted)>;

// The innermost functions of a stack that have names ("F+0x1c (x.cc:3)"), and not only a place in
// one of these modules ("mariadbd+0x1c"); each once.
std::vector<std::string> functions_on(const std::vector<std::string>& frames,
                                      const std::vector<std::string>& modules);

// By the point of the execution at which the thread stands (HeldSegment::point).
using StackFunctions = std::map<uint64_t, std::vector<std::string>>;

struct FoundHolds {
  Holds holds;
  std::optional<Holds> control;  // held nearby, and accepted
};

// `starts`: forms of one schedule with the same segments, the likeliest first. `surely`: rounds.
std::optional<FoundHolds> find_holds(const std::vector<Holds>& starts,
                                     const StackFunctions& functions, unsigned surely,
                                     const TryHolds& execute);

}  // namespace esox
