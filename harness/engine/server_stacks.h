// SPDX-License-Identifier: Apache-2.0
// The stacks of a server's threads in words, where an execution did not come to its end.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>

#include "analysis/execution_record.h"
#include "inputs/input.h"
#include "preload/protocol/control_block.h"

namespace esox {

// All outlive it.
struct StackedServer {
  pid_t pid = 0;
  const ControlBlock& block;  // says which threads are under control
  const Input& input;
};

// Adds them to the record's ending, the clients' first. Of a crash in the thread `crashed_tid` (at
// `pc`) only that thread's and the clients', in this order: the first lines are what a reader sees.
void add_server_stacks(const StackedServer& server, const std::string& title,
                       ExecutionRecord& record, pid_t crashed_tid = 0, uint64_t pc = 0);

}  // namespace esox
