// SPDX-License-Identifier: Apache-2.0
// The one thread that starts child processes.
//
// Children ask the kernel to be killed when their parent dies (PR_SET_PDEATHSIG), so that even a
// kill -9 of esox leaves no server behind. But "parent" there means the parent *thread*: a server
// started by a worker thread would die when that worker ends. Hence one thread that lives as long
// as the process and does nothing but start children. It starts each on the cores that the asking
// thread is bound to, as a fork of that thread would have.
#pragma once

#include <functional>

namespace esox {

// Runs `job` on the spawning thread and waits for it. `job` must not throw. Any thread may call.
void run_on_spawner(const std::function<void()>& job);

}  // namespace esox
