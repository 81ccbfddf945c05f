// SPDX-License-Identifier: Apache-2.0
// A server ready to be started again and again, and how executions are run on it: what every
// command that executes something begins with.
#pragma once

#include <memory>
#include <string>

#include "analysis/finding.h"
#include "harness/commands/options.h"
#include "harness/engine/server_executor.h"
#include "targets/server.h"
#include "targets/target.h"

namespace esox {

inline const std::string kEsoxVersion = ESOX_VERSION;

struct Workbench {
  std::unique_ptr<Server> server;  // prepared
  ExecutorOptions executor;
  FindingServer description;
  std::string not_summarised;  // what the state summary goes without here; empty: nothing
};

// Finds server and preload, makes the server's template if there is none yet (a few seconds, once).
// `kind` as Input::server. Throws UsageError, ServerError.
Workbench make_workbench(const CommonOptions& options, const std::string& kind);

// The server of that name; "": the one that `program` is of. Throws ServerError.
const Target& target_wanted(const std::string& name, const std::string& program);

// What a machine is tried out with (Target::trial_input). Throws InputError.
Input trial_input(const Target& target);

// The kind of server that all these inputs are for. Throws UsageError if there are several.
std::string server_kind(const std::vector<ConcreteInput>& inputs);

}  // namespace esox
