// SPDX-License-Identifier: Apache-2.0
// Which memory an execution writes to: most of it is the same for all executions of one input, so
// that a child can get its own copies of those pages at once (preload/snapshot/memory.h).
#pragma once

#include <sys/types.h>

#include <vector>

#include "preload/protocol/snapshot.h"

namespace esox {

// Of a process forked from a template: the pages that are its own by now, and those of the control
// block that it has touched. In order of address, at most kMaxHotRuns. Empty if the machine does
// not tell (/proc/PID/pagemap).
std::vector<PageRun> own_pages(pid_t pid);

}  // namespace esox
