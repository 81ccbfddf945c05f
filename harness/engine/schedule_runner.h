// SPDX-License-Identifier: Apache-2.0
// What a search over schedules needs of whatever is searched: a program, a server with an input, or
// a model of one. "Run this beginning, and tell me all that could have been done."
#pragma once

#include <string>
#include <vector>

#include "preload/strategy/strategy.h"

namespace esox::exhaustive {

// A thread that has not ended, and what it is about to do.
struct Waiting {
  Pending operation;
  bool enabled = false;
};

// What a thread did from one point to the next. First what was pending; then operations without a
// point of their own (a release that was not offered), if any.
struct Step {
  ThreadId thread = kNoThread;
  std::vector<Pending> operations;
};

struct Point {
  std::vector<Waiting> waiting;  // sorted by thread; somebody is enabled
  Step step;                     // of the thread that was chosen
};

struct ExecutedSchedule {
  std::vector<Point> points;
  std::vector<Waiting> left;  // at the end: threads that wait for ever
  bool violation = false;
  std::string what;  // the violation, in one line
  // It ended (by a crash, by exit) while threads could have gone on; what they would have done is
  // not known.
  bool ended_early = false;
  // False: it cannot be judged (control was lost, the beginning could not be followed).
  bool usable = true;
};

// As the strategy `prefix` takes it (preload/strategy/prefix.h).
struct Beginning {
  std::vector<ThreadId> threads;  // who runs at the first points
  std::vector<ThreadId> asleep;   // at the end of them
};

class ScheduleRunner {
 public:
  virtual ~ScheduleRunner() = default;

  // Must be repeatable: the same beginning leads to the same points. Beyond the beginning the
  // running thread stays as long as it can, then the lowest enabled one runs; sleepers are passed
  // over.
  virtual ExecutedSchedule run(const Beginning& beginning) = 0;
};

}  // namespace esox::exhaustive
