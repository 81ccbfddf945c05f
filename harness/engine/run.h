// SPDX-License-Identifier: Apache-2.0
// Steps 1 to 6 of one execution (server_executor.h), on a server that is started for it or forked;
// and what else is done with a server in the state after the setup. Which server it is, and what to
// do if that cannot be had, is the executor's business.
//
// All throw Executor::Interrupted, SetupError, ServerError; by snapshot also TemplateLost, RunLost
// and SnapshotRefused (snapshot_server.h). What happens to the server while it is under control is
// no exception but the record's ending.
//
// A server that a signal of the input's ends, or would have, is ended in any case, and its state is
// that of one more server, not under control, on the data left behind.
#pragma once

#include "harness/engine/execution.h"
#include "harness/engine/run_context.h"
#include "harness/engine/session.h"
#include "harness/engine/snapshot_server.h"

namespace esox {

ExecutionReport run_by_restart(const RunContext& context, const PrivateDirectory& directory);
ExecutionReport run_by_snapshot(const RunContext& context, SnapshotServer& snapshots);

// Not an execution. The server is good for nothing else afterwards.
void use_by_restart(const RunContext& context, const PrivateDirectory& directory,
                    const SetUpUse& use);
void use_by_snapshot(const RunContext& context, SnapshotServer& snapshots, const SetUpUse& use);

}  // namespace esox
