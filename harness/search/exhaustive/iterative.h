// SPDX-License-Identifier: Apache-2.0
// Iterative deepening over sets of preemption points (Quicksand: Blum and Gibson, OOPSLA 2016;
// thesis proposal of Blum 2017, section 3.2): many small searches instead of one that never ends.
// Each job is the search of all partial orders in which a thread is replaced only at the points of
// a set, or where it cannot go on; its being exhausted is a guarantee of its own.
//
// - Jobs: no points; each class of operations (point_set.h) by itself; all classes that occur; and,
//   as executions show call sites in conflict, each such site by itself and with the points of the
//   job that showed it.
// - A job whose estimate exceeds kHopeless times what executions are left is *suspended*, if
//   there is another one to be begun, or a suspended one nearer to its end (algorithm 1 there). One
//   whose points contain those of a suspended one is not begun before it: it can only be larger.
// - A job whose points are among those of one that was exhausted is *cancelled*: it has been done.
//
// Deviations: their preemption points are instructions and data races, here operations and call
// sites; their estimates are of time, here of executions, so that equal limits give equal searches.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "harness/search/exhaustive/coarse_schedules.h"
#include "harness/search/exhaustive/conflict_sites.h"
#include "harness/search/exhaustive/search.h"

namespace esox::exhaustive {

enum class JobState {
  kPending,
  kRunning,
  kSuspended,
  kExhausted,
  kEnded,     // nothing is left, yet not all could be judged or is known
  kCancelled  // contained in one that was exhausted
};

const char* name_of(JobState state);

struct Job {
  PointSet points;
  JobState state = JobState::kPending;
  SearchResult result;               // as far as it came when it was last looked at
  std::optional<size_t> covered_by;  // a cancelled one: the job that contains it
};

class IterativeSearch {
 public:
  // How many executions can still be made; asked now and then.
  using Left = std::function<double()>;

  explicit IterativeSearch(Left executions_left);

  // What the next execution is to begin with; nothing: no job is left.
  const std::optional<Beginning>& next();
  // The execution of that beginning.
  void take(const ExecutedSchedule& executed);

  // One execution by a runner. False: no job is left, and none was made.
  bool step(ScheduleRunner& runner);

  // Ends it before its time: whose turn it was is suspended, with its result.
  void lay_down();

  const std::vector<Job>& jobs() const { return jobs_; }
  // Whose turn it is; null before the first and after the last execution.
  const Job* current() const { return current_ ? &jobs_[*current_] : nullptr; }
  // How far that one is by now; its `result` is of when it was last looked at.
  const SearchResult& current_result() const { return works_[*current_].search->result(); }
  // Nothing is left at all: the job with all points that occur was exhausted.
  bool exhausted() const;

 private:
  struct Work {
    std::unique_ptr<CoarseView> view;
    std::unique_ptr<SearchInProgress> search;
    uint64_t looked_at = 0;  // executions when its estimate was last compared
  };

  void add(const PointSet& points);
  void learn(const ExecutedSchedule& executed);
  void learn_classes(const ExecutedSchedule& executed);
  bool choose();
  bool keeps_turn();
  std::optional<size_t> next_pending() const;
  std::optional<size_t> next_suspended(double nearer_than) const;
  bool contains_suspended(const PointSet& points, size_t but) const;
  double left_of(const Job& job) const;
  void give_turn_to(size_t job);
  void finish(size_t job);
  void take_coarse(const ExecutedSchedule& executed);

  const Left executions_left_;
  std::vector<Job> jobs_;
  std::vector<Work> works_;
  std::optional<size_t> current_;
  std::optional<Beginning> next_;  // asked for, and not taken yet
  ConflictSites conflicts_;
  PointSet occurring_;  // classes at which a running thread could have been replaced
};

}  // namespace esox::exhaustive
