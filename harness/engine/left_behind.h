// SPDX-License-Identifier: Apache-2.0
// The state of a server that has ended: what another one has that goes on with its data, not under
// control (analysis/ended_server.h).
#pragma once

#include "analysis/execution_record.h"
#include "harness/engine/run_context.h"
#include "harness/engine/session.h"
#include "targets/server.h"

namespace esox {

// The state goes to the record's outcome. If no server lives on that data, the record's ending is a
// crash. Throws Executor::Interrupted.
void take_state_left_behind(const RunContext& context, const RunningServer& ended, Session& session,
                            ExecutionRecord& record);

}  // namespace esox
