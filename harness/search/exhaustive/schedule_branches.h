// SPDX-License-Identifier: Apache-2.0
// An executed schedule, and the schedules that branch off it by one preemption: which there are,
// which are worth executing first, and which amount to one that was executed.
//
// A *branch* is a point of the schedule and a thread that could have come on there, though the
// running one could go on. Executing it gives the thread a *block*: what it, and whoever follows
// it, does until the preempted thread runs again. If the preempted thread's step beside the branch
// is independent (conflict.h) of all of the block, and of what the others are about to do at its
// end, then the branch on the other side of that step has the same partial order: the step comes
// before the block in one of them and after it in the other. So one execution stands for all
// branches up to the next step on either side that conflicts with its block.
//
// Which first: the order spreads over the whole execution, so that a search that is cut short has
// seen some of every part, and each execution takes away its equivalents. So what conflicts
// decides, as far as it was executed. (To come to points beside conflicts first, as far as the two
// requests one after the other show them, and to those under no lock before others, was measured to
// be worse: what a thread does in the middle of another one is more, and on other objects, than
// what it does at its end. The bugs of MariaDB's query cache came in the 102nd execution of 209,
// not among the first twelve.)
//
// Pure. Points of an execution are megabytes over many inputs: they can be forgotten, and shown
// again by an execution of the same beginning.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "harness/engine/schedule_runner.h"

namespace esox::exhaustive {

// So many points of one thread, one after the other.
struct Run {
  ThreadId thread = kNoThread;
  uint32_t points = 0;
  bool operator==(const Run&) const = default;
};
using Runs = std::vector<Run>;

Beginning beginning_of(const Runs& runs);
size_t length_of(const Runs& runs);
void append(Runs& runs, ThreadId thread);

// What became of a branch. As kept in files: one letter each.
enum class Fate : char {
  kOpen = 'o',
  kAgain = 'a',  // could not be judged once, or did not repeat its beginning; is tried once more
  kExecuted = 'x',
  kEquivalent = '=',  // has the partial order of one that was executed
  kLeft = '-',        // the same, and could not be judged when it was executed itself
  kUnusable = '?'
};

// What other threads did between a preemption and the return of the preempted thread, and were
// about to do then; of several executions all together.
struct Block {
  std::vector<Pending> operations;  // each kind of operation on an object once for each thread
  // Nothing follows for other branches: the end of it is not known, or did not follow from the
  // beginning alone.
  bool open_ended = false;
};

// From point `at` on, where `preempted` was replaced.
void add_block(Block& block, const ExecutedSchedule& executed, size_t at, ThreadId preempted);

class ScheduleBranches {
 public:
  struct Branch {
    uint32_t at = 0;  // point
    ThreadId thread = kNoThread;
  };

  // What is kept over launches; `fates` by branch, none before it was shown.
  struct Kept {
    Runs beginning;
    std::string fates;
    uint64_t name = 0;  // of the points, which are the same each time; 0: never shown
  };

  explicit ScheduleBranches(Runs beginning) { kept_.beginning = std::move(beginning); }
  explicit ScheduleBranches(Kept kept) : kept_(std::move(kept)) {}

  const Kept& kept() const { return kept_; }

  // An execution of its beginning. False: not the one that was shown before, or none that was.
  bool show(const ExecutedSchedule& executed);
  bool known() const { return kept_.name != 0; }
  bool shown() const { return shown_; }
  void forget();

  // Some branch is to be executed, or it is not known whether one is.
  bool is_open() const;
  // The following while it is shown. `best`: of those that are to be executed; of those that are
  // equivalent to one that was.
  std::optional<size_t> best() const;
  std::optional<size_t> best_equivalent() const;
  const Branch& branch(size_t index) const { return branches_[index]; }
  Runs beginning_of_branch(size_t index) const;
  ThreadId preempted(size_t index) const { return points_[branches_[index].at - 1].step.thread; }
  // Whether it is an execution of that branch: what came before is what is known.
  bool leads_to(size_t index, const ExecutedSchedule& executed) const;

  // At the branch the preempted thread has just given back what the other one takes later.
  bool is_after_release(size_t index) const;

  Fate fate(size_t index) const { return static_cast<Fate>(kept_.fates[index]); }
  void set(size_t index, Fate fate) { kept_.fates[index] = static_cast<char>(fate); }
  uint64_t count(Fate fate) const;
  uint64_t size() const { return kept_.fates.size(); }

  // The branch was executed, with all that follows from it: those with the same partial order are.
  void cover(size_t index, const Block& block);

 private:
  void find_branches();
  void cover_ends();
  void cover_from(uint32_t at, ThreadId thread, ThreadId preempted, const Block& block);
  bool cover_one(uint32_t at, ThreadId thread);
  bool step_is_of(size_t point, ThreadId thread) const {
    return point < points_.size() && points_[point].step.thread == thread;
  }
  std::optional<size_t> first_of(Fate one, Fate other) const;
  std::optional<size_t> find(uint32_t at, ThreadId thread) const;

  Kept kept_;
  bool shown_ = false;
  std::vector<Point> points_;  // empty while it is not shown
  std::vector<Waiting> left_;
  std::vector<Branch> branches_;  // by point and thread
  std::vector<size_t> order_;     // of the branches, the first to be executed first
};

// Beginnings of an execution's own branches, after its last preemption (its beginning's last run),
// at which the preempted thread comes back while another one holds what it had itself.
std::vector<Runs> returns_of(const Runs& beginning, const ExecutedSchedule& executed);

// The threads that could have gone on, where the running one could not, from point `from` on: what
// costs no preemption. Beginnings that end with such a choice.
std::vector<Runs> free_choices(const ExecutedSchedule& executed, size_t from);

}  // namespace esox::exhaustive
