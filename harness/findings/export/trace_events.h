// SPDX-License-Identifier: Apache-2.0
// An execution in the Trace Event Format, which Perfetto (ui.perfetto.dev) and chrome://tracing
// open.
//
//   process "clients"   a track per client: a slice per request
//   process "server"    a track per client's thread: a slice for each run between two switches,
//                       an instant for each operation; an arrow from what woke a thread, or
//                       released the lock that it waited for, to where it goes on
//   the critical switch, or the one that decides, is an instant across all tracks
//
// One scheduling point is one microsecond: threads run one at a time under control, so that there
// is an order but no duration.
//
// Pure.
#pragma once

#include <optional>
#include <string>

#include "analysis/execution_record.h"
#include "analysis/symbols.h"
#include "harness/findings/replay/critical_place.h"
#include "inputs/input.h"

namespace esox {

// `marked`: the switch to mark; `sentence`: of the diagnosis, may be empty.
std::string trace_events_json(const ExecutionRecord& record, const Input& input, Symbols& symbols,
                              const std::optional<FoundSwitch>& marked,
                              const std::string& sentence);

}  // namespace esox
