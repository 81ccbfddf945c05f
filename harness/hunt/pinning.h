// SPDX-License-Identifier: Apache-2.0
// One worker, one core. In an execution one thread runs at a time and hands over to the next by a
// futex: on one core that is a switch, across cores an interrupt and a cold cache (measured: a
// third to a half more executions per second when bound). The server and its clients inherit the
// core of the thread that starts them: so it is bound before it runs anything.
//
// They also run as batch jobs (sched(7), SCHED_BATCH): who is woken waits until the one that runs
// has gone to sleep. A server sends each result of a request for itself; its reader, woken by the
// first, would else take the core from it for every one (measured: 6 % of an execution's time).
#pragma once

#include <sched.h>

#include <cstddef>

namespace esox {

// Binds the calling thread, as long as this lives, and makes a batch job of it, to a core of its
// own, if there are as many cores as workers; else leaves it. Two esox on one machine begin at
// different cores.
class CorePin {
 public:
  CorePin(size_t worker, size_t workers);
  ~CorePin();
  CorePin(const CorePin&) = delete;
  CorePin& operator=(const CorePin&) = delete;

 private:
  cpu_set_t before_;
  bool bound_ = false;
};

// Cores this process may use.
size_t usable_cores();

}  // namespace esox
