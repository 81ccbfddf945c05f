// SPDX-License-Identifier: Apache-2.0
// A debugger on a server that stands at a switch: its clients' threads parked, named, and the one
// that was replaced selected. When the debugger ends, so does the server.
#pragma once

#include <string>
#include <vector>

#include "harness/engine/server_executor.h"

namespace esox {

struct DebuggerView {
  std::vector<std::string> clients;      // names, as ParkedServer::threads
  size_t stands = 0;                     // client whose thread was replaced
  std::vector<std::string> description;  // lines for the reader
};

// What the debugger is told at its start, as a file of its commands.
std::string debugger_script(const ParkedServer& server, const DebuggerView& view);

// gdb's arguments; `commands` not empty: it runs these and ends.
std::vector<std::string> debugger_line(pid_t pid, const std::string& script_file,
                                       const std::vector<std::string>& commands);

// In the foreground, until it ends; gives its exit status. Throws ServerError if it cannot be
// started.
int run_debugger(const std::vector<std::string>& line);

}  // namespace esox
