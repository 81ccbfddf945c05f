// SPDX-License-Identifier: Apache-2.0
// Waiting until a server has come to rest.
//
// What a statement set in motion goes on after its reply: purge frees undo pages, workers start and
// end. If the next statement arrives in its middle, the server takes another way each time; so the
// setup of an execution waits for rest between its statements, and equal setups give equal servers.
#pragma once

#include <sys/types.h>

#include <chrono>

namespace esox {

// Waits until all threads of the process sleep in the kernel and none of them has run between two
// looks; at most so long. False if it never was so, or the process is gone. Timed waits do not
// count as unrest: a thread that wakes up every second rests in between.
bool settle(pid_t pid, std::chrono::milliseconds limit);

}  // namespace esox
