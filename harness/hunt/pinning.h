// SPDX-License-Identifier: Apache-2.0
// One worker, one core. In an execution one thread runs at a time and hands over to the next by a
// futex: on one core that is a switch, across cores an interrupt and a cold cache (measured: a
// third to a half more executions per second when bound). The server and its clients inherit the
// worker's core.
#pragma once

#include <cstddef>

namespace esox {

// Binds the calling thread to a core of its own, if there are as many cores as workers; else leaves
// it. Two esox on one machine begin at different cores.
void pin_this_thread(size_t worker, size_t workers);

// Cores this process may use.
size_t usable_cores();

}  // namespace esox
