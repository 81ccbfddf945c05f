// SPDX-License-Identifier: Apache-2.0
// The programs that the strategies are measured on, in the terms of model.h.
//
// The lock-level ones follow "rule C": main creates all threads before any of them does anything.
#pragma once

#include "tests/models/model.h"

namespace esox::model {

// Yuan's figure 3.1, ten events, two threads; the bug needs one exact order of partial orders:
//   p: x++; y++; signal(w); assert(z < 5)      q: x = 1; a = x; y = a; wait(w); b = y; z = a + b
Program figure_3_1();

// The lock-level programs of SCTBench, visible operations create, lock, unlock and join.
Program deadlock01();  // two threads take two mutexes in opposite orders
Program lazy01();      // +1, +2 and a checker that fails at 3, each one critical section
Program account();     // deposit, withdraw, and a check that fails once both are done; no joins
Program carter01();    // two classes of threads: a class's first one in takes l, its last one out
                       // releases it, both while holding m: one waits for l holding m, for ever
Program twostage();    // a writer sets two values under two mutexes; a reader sees the gap

// Bugs of known depth: that many ordering constraints suffice.
Program use_before_init();                 // depth 1
Program write_between_two_reads(int pad);  // depth 2: an atomicity violation, `pad` steps around it
Program gap_then_late_write();             // depth 3: one write into a gap, the next one after it
Program two_gaps();                        // depth 4: two writes, each into its own gap

// Models of tests/programs/*.cpp, with the dummy first event that a thread's start is.
Program lock_order_deadlock();
Program two_stage_update();
Program lost_wakeup();
Program check_then_act();

}  // namespace esox::model
