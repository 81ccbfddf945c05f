// SPDX-License-Identifier: Apache-2.0
// The snapshot agent: forks a running server with all its threads, again and again.
//
// Overview. The harness sends kParkSignal to the main thread, which becomes the agent in its
// handler: it parks all other threads in theirs (park.h) and from then on only listens to the
// harness (protocol/snapshot.h); the process is a *template*. For each child it is asked for, it
// makes a process by raw clone3 (no atfork handlers) with the same process id (namespaces.h). The
// child's only thread is the copy of the main thread, still in its handler. It makes the
// descriptors anew (descriptors.h), sets the clocks back to the moment of parking, and re-creates
// every other thread with its own id at the point where it was parked (thread_image.h). Then all of
// them return from their handlers, and what they were waiting in is waited in again. Afterwards
// such a child may be brought back to this point (rewind.h).
//
// Time: a child lives on from the moment of parking, however long ago that was, on every clock that
// goes through our hooks. Waits with an absolute deadline are moved accordingly, and those that
// would end soon are given some time (ForkRequest::quiet_ns): what runs in the background by the
// clock must not depend on how long a template has been there, nor run into every execution.
//
// Refused, in words: timers made by timer_create (a fork does not inherit them), and what the
// harness finds in /proc (harness/engine/snapshot/plan.h).
#pragma once

namespace esox {

// By the constructor: takes the channel named by the environment, if there is one.
void start_snapshot_agent();

}  // namespace esox
