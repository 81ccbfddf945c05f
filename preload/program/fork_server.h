// SPDX-License-Identifier: Apache-2.0
// The fork server of a program under test, in the spirit of AFL's: the program is loaded, linked
// and set up once, and each execution is a fork of it. That is some ten times as fast as starting
// it, and every execution finds the same memory.
//
// The fork is made just before the program's first thread is made, by the thread that is about to
// make it: until then there is one thread, so there was nothing to schedule, and a process of one
// thread is what fork() copies faithfully. What the program has by then must be its own, though,
// and a copy in each child. Where it is not (an open pipe, shared memory, a child process, ...) the
// harness is told, and starts the program anew with the fork before any of its code.
//
// The protocol is in protocol/program.h.
#pragma once

namespace esox {

// At the fork point. Returns in each child, once, with the execution begun; and in a process that
// does not fork here. Never returns in the process that forks.
void fork_before_first_thread();
void fork_at_start();

}  // namespace esox
