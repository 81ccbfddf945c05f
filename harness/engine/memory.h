// SPDX-License-Identifier: Apache-2.0
// What a process holds of the machine's memory.
#pragma once

#include <sys/types.h>

#include <cstdint>

namespace esox {

// The proportional set size: a page shared by n processes counts as one nth for each, so that the
// sum over a template and its children is what they take together. 0 if the process is gone or may
// not be looked at.
uint64_t proportional_memory_kib(pid_t pid);

}  // namespace esox
