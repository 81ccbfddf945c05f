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

namespace esox {

// What came of replaying a log on a server in the state after the setup (log_replay.h).
struct ReplayedLog {
  StateSummary tables;      // components tables, definition:..., rows:...
  std::string stopped;      // the error that a replica would stop at; empty: all was applied
  bool gone = false;        // nothing was replayed: the log does not reach back to the setup
  std::string unavailable;  // why it could not be replayed
};

// `real` is the state of the server that wrote the log.
std::vector<Component> compare_with_replayed(const StateSummary& real, const ReplayedLog& replayed);

}  // namespace esox
