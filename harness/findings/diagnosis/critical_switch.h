// SPDX-License-Identifier: Apache-2.0
// The critical switch: where one operation earlier or later decides between a violating execution
// and one that a serial order explains.
//
// A thread, the *mover*, is switched out at its point u and the violation comes; had it carried out
// one more operation before the switch (or one less), all would have been well. Later switches are
// looked at first, those at which the thread could have gone on before those at which it had to
// wait, and a delay before an advance. Between a place that violates and one that is accepted there
// is a pair of neighbouring places of which one violates and the other is accepted; halving finds
// it, or, where other violations lie between, looking at all.
//
// Any violation of the finding's class counts as one here, be it in another way than the finding:
// what decides whether all is well is looked for. (Told apart, an input that breaks in many ways
// had no switch between the finding and an accepted execution.)
//
// Then the operation is moved through what the other thread did meanwhile, by halving again: in the
// end two executions differ in the order of two neighbouring operations, one of each thread.
//
// Pure but for `execute`.
#pragma once

#include <optional>

#include "harness/findings/diagnosis/attempt.h"

namespace esox {

struct SwappedPair {
  ThreadId other = kNoThread;
  uint32_t other_operation = 0;  // which of the other thread's points it lies at, from 1
  Tried violating;
  Tried accepted;
};

struct CriticalSwitch {
  ThreadId mover = kNoThread;
  uint32_t operation = 0;  // of the mover: the one that came too late or too early; 0 its beginning
  bool too_late = true;    // it should have come before the switch; else after it
  size_t segment = 0;      // of `violating`, at the end of which the mover is switched out
  Tried violating;
  Tried accepted;
  std::optional<SwappedPair> pair;  // none: the two operations could not be told apart so
};

// Of a violating execution; nothing if no switch decides, or the budget is spent before.
std::optional<CriticalSwitch> critical_switch(const Tried& violating, const Try& execute);

}  // namespace esox
