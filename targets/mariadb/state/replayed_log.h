// SPDX-License-Identifier: Apache-2.0
// What the binary log says against what the tables hold.
//   replayed-binlog         multiset  where replaying it ends early; tables that only one side has
//   replayed-binlog:test.t  multiset  where the table differs from the one that the log gives
//
// What a replica of the server would hold if it had followed the execution from the setup on: when
// the log's order is not that in which transactions took effect, the replica goes astray without a
// word. No element: the two agree. AUTO_INCREMENT counters are no part of it, for a log does not
// carry numbers that were taken and not used.
//
// In some histories the two differ by right: statements of which the manual says that they are
// unsafe for statement-based logging, tables changed with sql_log_bin = 0. They then differ after
// the serial orders as well, with which these components are compared like all others.
#pragma once

#include <string>
#include <vector>

#include "summaries/component.h"
#include "targets/replayable_log.h"

namespace esox {

// `real` is the state of the server that wrote the log; `replayed` has the components tables,
// definition:... and rows:... of what it gives (log_replay.h).
std::vector<Component> compare_with_replayed(const StateSummary& real, const ReplayedLog& replayed);

}  // namespace esox
