// SPDX-License-Identifier: Apache-2.0
// The binary log's events with all removed that differs between equal histories.
//
// The thesis takes the binary log as a sequence and hashes "the deterministic parts" of its
// elements (section 5.4.1). Left out here: positions and file names, server ids, numbers of GTIDs,
// of transactions (xid), threads and tables, and the events that only describe the log itself.
#pragma once

#include <optional>
#include <string>

namespace esox {

// "Query: use `test`; INSERT ...", or nothing for an event that says nothing about the data.
// `type` and `info` are the columns Event_type and Info of SHOW BINLOG EVENTS.
std::optional<std::string> normalised_event(const std::string& type, const std::string& info);

}  // namespace esox
