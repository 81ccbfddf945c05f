// SPDX-License-Identifier: Apache-2.0
// A process with all that descend from it, as /proc shows them.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <vector>

namespace esox {

// `root` first. Those whose parents ended in between belong to someone else by then.
std::vector<pid_t> process_tree(pid_t root);

// What they hold together (harness/engine/memory.h).
uint64_t memory_of_tree_kib(pid_t root);

}  // namespace esox
