// SPDX-License-Identifier: Apache-2.0
// The systematic pass: every schedule with one preemption, then with two, as a work list that is
// asked for its next beginning and told of the execution, whenever there is time for one. It is
// spread over the whole of an execution, and of schedules with one partial order one is executed
// (schedule_branches.h). The portfolio begins with it (harness/search/portfolio.h).
//
// The search within a bound (bounded_search.cpp) goes depth first, and executes a schedule to learn
// that another one amounts to it: it is for those who want all of it. The pass may end anywhere, so
// its order matters, and an input has few executions, so none is spent on what is known to be
// equivalent: a MariaDB pair of 700 schedules with one preemption takes a quarter of that.
//
// 1. Without a preemption: each order in which threads can be run to where they cannot go on.
// 2. With one: the branches of all of those in turn. What is a choice without cost after a branch
//    (three clients) belongs to it, and is executed next.
// 3. With one, too: those that were left out as equivalent. Partial orders know nothing of plain
//    memory accesses between points, and a server that races does: memcached's `gets` beside `incr`
//    goes wrong in one schedule of 69, and not in the one that it is equivalent to.
// 4. With two, of which partial orders say nothing either: a thread has just given back a lock, a
//    second one takes it and has begun on what it protects, and the first goes on from what it has
//    read or is yet to read. (memcached's `mg` beside `md k I`: 423 schedules have 5 partial
//    orders, and none of these is wrong each time.)
// 5. With two: of each execution of 2. the branches that come after its own, one after the other.
//
// "Done" says of all schedules with so many preemptions that they were executed, or have the
// partial order of one that was: as far as conflict.h tells which operations matter to each other.
// An execution that could not be judged, or did not repeat what its beginning had shown, is tried
// once more; if that fails, too, it is not done.
//
// Deterministic, and kept over launches: what is kept are fates and beginnings, not points. So
// before next() what to_show() names is to be executed, if anything: executions that are known, and
// need no verdict.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/record/record.h"
#include "harness/search/exhaustive/schedule_branches.h"

namespace esox::exhaustive {

inline constexpr uint32_t kMostPreemptions = 2;

// Of the schedules with so many preemptions.
struct PassCounts {
  uint64_t known = 0;       // so far; with two, those of the executions that were come to
  uint64_t executed = 0;    // and judged
  uint64_t equivalent = 0;  // to one that was
  uint64_t unusable = 0;
  bool done = false;

  uint64_t covered() const { return executed + equivalent; }
};

void each_field(auto& f, Of<PassCounts>) {
  f("known", &PassCounts::known, kSum);
  f("executed", &PassCounts::executed, kSum);
  f("equivalent", &PassCounts::equivalent, kSum);
  f("unusable", &PassCounts::unusable, kSum);
  f("done", &PassCounts::done, kLeast);
}

struct PassFigures {
  PassCounts one;      // preemption
  PassCounts returns;  // two, the second while another thread holds what the first had
  PassCounts two;
  bool given_up = false;  // executions did not repeat themselves, or were too long
};

// One line, for people; empty while there is nothing to tell.
std::string text_of(const PassFigures& figures);

void each_field(auto& f, Of<PassFigures>) {
  f("one_preemption", &PassFigures::one);
  f("returns", &PassFigures::returns);
  f("two_preemptions", &PassFigures::two);
  f("given_up", &PassFigures::given_up);
}

class PreemptionPass {
 public:
  struct Kept {
    uint32_t preemptions = 0;                       // of the schedules that are executed now
    std::vector<ScheduleBranches::Kept> schedules;  // whose branches are
    std::vector<Runs> free = std::vector<Runs>(1);  // to be executed before any branch
    uint64_t schedule = 0;  // the branch that was executed last, to which those belong
    uint64_t branch = 0;
    Block block;                                      // of it
    std::vector<Runs> parents;                        // executions with one preemption
    uint64_t parent = 0;                              // whose branches are next
    std::vector<Runs> returns;                        // of step 4
    uint64_t next_return = 0;                         // of them
    bool returning = false;                           // `free` is of those
    PassCounts return_counts;                         // of those that were executed
    std::array<PassCounts, kMostPreemptions> counts;  // but for those of `schedules`
    std::array<bool, kMostPreemptions> left_out{};    // there was too much to remember
    uint32_t failures = 0;                            // one after the other
  };

  PreemptionPass() = default;
  explicit PreemptionPass(const Kept& kept);

  Kept kept() const;
  // Forgets what can be shown again, which is much.
  void rest();

  // Nothing is left, or it came to nothing: the executions do not repeat themselves.
  bool ended() const { return kept_.preemptions > kMostPreemptions || broken(); }

  // To be executed before the next one, and told by show(); until there is nothing.
  std::optional<Beginning> to_show() const;
  void show(const ExecutedSchedule& executed);

  // While it has not ended.
  Beginning next() const { return beginning_of(next_runs()); }
  // The execution of that beginning.
  void take(const ExecutedSchedule& executed);

  // The schedules that are executed now have so many preemptions.
  uint32_t preemptions() const { return kept_.returning ? 2 : kept_.preemptions; }
  // They are those of step 4.
  bool is_returning() const { return kept_.returning; }
  // Of them, and of those of step 4, those that are known and were not executed.
  uint64_t left() const;
  PassFigures figures() const;

 private:
  struct Place {
    size_t schedule = 0;
    size_t branch = 0;
  };

  bool broken() const;
  bool is_missed(size_t schedule) const;
  bool only_equivalents_left() const;
  Runs next_runs() const;
  std::optional<Place> best() const;
  void take_plain(const ExecutedSchedule& executed);
  void take_branch(const ExecutedSchedule& executed);
  void take_equivalent(const ExecutedSchedule& executed, const Place& place);
  void take_free(const ExecutedSchedule& executed);
  void add_execution(const Runs& beginning, const ExecutedSchedule& executed);
  void add_free_choices(const Runs& beginning, const ExecutedSchedule& executed);
  void advance();
  void begin_round();
  void begin_parent();
  bool begin_return();
  void add_returns(const Place& place, const Runs& beginning, const ExecutedSchedule& executed);
  bool all_with_one_covered() const;
  void close_schedules();
  PassCounts counts_now() const;
  PassCounts returns_now() const;

  Kept kept_;  // without the schedules
  std::vector<ScheduleBranches> schedules_;
};

}  // namespace esox::exhaustive
