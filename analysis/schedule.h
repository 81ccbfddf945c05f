// SPDX-License-Identifier: Apache-2.0
// A schedule told by segments: thread t runs until it has passed u points of its own. Unlike a list
// of choices, numbered by the points of all threads, it keeps its meaning where a part of it is
// taken away or moved (preload/strategy/segments.h executes it).
//
// Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "analysis/execution_record.h"

namespace esox {

inline constexpr uint32_t kToTheEnd = UINT32_MAX;

struct Segment {
  ThreadId thread = kNoThread;
  uint32_t until = kToTheEnd;  // points of its own that the thread has passed by then
  bool operator==(const Segment&) const = default;
};

using Schedule = std::vector<Segment>;

// Of a record's choices. The last segment goes to its thread's end, however far that is in a
// variant of the schedule; of an execution that finished each thread's last one does. One that did
// not (crash, deadlock, hang) may owe that to where a thread stood in the end.
Schedule schedule_of(std::span<const Choice> choices, bool finished = true);
// The same of any schedule: what comes after its last segment is done there.
Schedule to_the_ends(const Schedule& schedule);
// With all threads at their ends after the last segment, which is what comes of it.
Schedule completed(const Schedule& schedule);
// As the strategy reads it.
std::vector<Choice> tape_of(const Schedule& schedule);

// All context switches, forced ones as well.
size_t switch_count(const Schedule& schedule);

// Without segments in which nothing happens; neighbours of one thread become one.
Schedule tidied(const Schedule& schedule);

// Without the segments [first, last): what they did is done when their threads come on next.
Schedule without(const Schedule& schedule, size_t first, size_t last);
// Without segment `index`: what it did is done at the end of its thread's segment before, if any.
Schedule done_earlier(const Schedule& schedule, size_t index);
// Segment `index` ends at another point of its thread.
Schedule ending_at(const Schedule& schedule, size_t index, uint32_t until);

// How many segments are equal, from the first; SIZE_MAX if all are.
size_t equal_segments(const Schedule& a, const Schedule& b);

// Points that the segment's thread had passed when the segment began.
uint32_t begin_of(const Schedule& schedule, size_t index);

// The scheduling points of an execution by thread. `points` is how many there were in all.
class OwnPoints {
 public:
  OwnPoints(std::span<const Choice> choices, uint64_t points);

  uint32_t total(ThreadId thread) const;
  // How many the thread has passed once the execution's point `point` is passed.
  uint32_t passed(ThreadId thread, uint64_t point) const;
  // Which of the execution's points is the thread's `own`-th, from 1; kNever if there is none.
  uint64_t point_of(ThreadId thread, uint32_t own) const;

 private:
  struct Stretch {
    ThreadId thread;
    uint64_t begin;  // its points are (begin, end]
    uint64_t end;
  };
  std::vector<Stretch> stretches_;
};

}  // namespace esox
