// SPDX-License-Identifier: Apache-2.0
// Exhaustive search: executes schedules until none is left that could show anything new, or the
// limits are reached. Stateless: every branch is one execution from the start.
//
// - Without a bound every *partial order* is visited once, however many schedules have it: source
//   sets (dynamic partial-order reduction; Abdulla, Aronis, Jonsson, Sagonas, POPL 2014; races of
//   blocked operations as in Flanagan and Godefroid, POPL 2005) tell which threads must be tried at
//   a point, sleep sets (Godefroid 1996) which need not. (partial_order_search.cpp)
// - Within a bound (so many preemptions: Musuvathi and Qadeer, PLDI 2007; or so many delays of a
//   plain scheduler: Emmi, Qadeer, Rakamaric, POPL 2011) all schedules are tried, in rounds of 0,
//   1, 2, ... of them; a beginning is not followed again if one with the same partial order, the
//   same running thread and no more spent was. (Reduction by races is not sound within a bound: the
//   one schedule of a partial order that it keeps may be one beyond the bound.)
//   (bounded_search.cpp)
//
// What "exhausted" says, and what not: all orders of *synchronisation operations* were covered, as
// far as conflict.h tells which of them matter to each other, and given the runner's first answer
// to every data choice (whom a signal wakes). Orders of plain memory accesses between them were
// not, unless they are points.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "harness/engine/schedule_runner.h"

namespace esox::exhaustive {

enum class Bound {
  kNone,
  kPreemptions,  // switches away from a thread that could go on
  kDelays        // each passes over the next in a plain order: the running thread, then by id
};

struct SearchOptions {
  Bound bound = Bound::kNone;
  uint32_t most = 0;  // preemptions or delays
};

struct Violation {
  std::vector<ThreadId> schedule;  // who ran at each point
  std::string what;
};

struct SearchResult {
  Bound bound = Bound::kNone;
  uint32_t most = 0;
  uint32_t round = 0;  // within the bound, so many are tried now
  uint64_t executions = 0;
  uint64_t earlier_rounds = 0;  // executions of those
  uint64_t partial_orders = 0;  // different ones, of executions that came to their end
  uint64_t cut_short = 0;       // executions that led, from some point on, only to what was known
  uint64_t repeated = 0;        // ... to the end of which came in a known partial order
  uint64_t unusable = 0;        // ... that could not be judged, or did not repeat themselves
  uint64_t ended_early = 0;     // ... that ended while threads could have gone on
  uint64_t beyond_bound = 0;    // branches not taken because of the bound
  uint64_t violating = 0;       // different partial orders that are violations
  uint64_t divided = 0;         // ... of which other executions are not
  std::vector<Violation> violations;  // the first ones
  // Nothing was left out but what lies beyond the bound. Without a bound, an execution that ended
  // early leaves something out: whom the rest of it would have raced with.
  bool exhausted = false;
  // Of this round's tree that is done, all branches of a point counting alike. It may fall: without
  // a bound, branches are added as races are found.
  double share = 0;

  // How many executions it will have been at this round's end, if the rest of the tree is like what
  // was seen (Knuth, "Estimating the efficiency of backtrack programs", 1975; here over all leaves
  // so far).
  double estimated_executions() const {
    const auto of_round = static_cast<double>(executions - earlier_rounds);
    return share > 0 ? static_cast<double>(earlier_rounds) + of_round / share : 0;
  }
};

// A search that is taken up and laid down as one likes, by whoever makes the executions.
class SearchInProgress {
 public:
  virtual ~SearchInProgress() = default;
  // What the next execution is to begin with; while something is left.
  virtual Beginning next() const = 0;
  // The execution of that beginning. False: nothing is left.
  virtual bool take(const ExecutedSchedule& executed) = 0;
  virtual const SearchResult& result() const = 0;
};

std::unique_ptr<SearchInProgress> begin_search(const SearchOptions& options);

// One or two lines: how far it came, what was found, what was not looked at.
std::string text_of(const SearchResult& result);

// "41 %", "0.032 %"; 100 % only of all.
std::string share_text(double share);

// The two ways, by whether there is a bound.
std::unique_ptr<SearchInProgress> begin_partial_orders(const SearchOptions& options);
std::unique_ptr<SearchInProgress> begin_within_bound(const SearchOptions& options);

}  // namespace esox::exhaustive
