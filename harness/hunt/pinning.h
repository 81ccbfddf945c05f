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
#include <span>
#include <string_view>

#include "base/process/unique_fd.h"

namespace esox {

// Of `cores`, not empty, the one that the fewest have claimed by `name` on this machine, the first
// from `start` on of several; claimed as long as `claim` is open, which no program inherits. A
// claim is an address in the kernel's table of local sockets (unix(7), abstract): it goes with its
// process, however that ends.
struct CoreClaim {
  size_t core = 0;
  UniqueFd claim;
};
CoreClaim claim_core(std::span<const size_t> cores, size_t start, std::string_view name);

// Binds the calling thread, as long as this lives, and makes a batch job of it, to a core of its
// own, if there are as many cores as workers; else leaves it. The cores are shared with whatever
// other esox run on the machine: two with one worker each on two cores are at half their speed
// where they meet on one.
class CorePin {
 public:
  CorePin(size_t worker, size_t workers);
  ~CorePin();
  CorePin(const CorePin&) = delete;
  CorePin& operator=(const CorePin&) = delete;

 private:
  cpu_set_t before_;
  CoreClaim claim_;
  bool bound_ = false;
};

// Cores this process may use.
size_t usable_cores();

}  // namespace esox
