// SPDX-License-Identifier: Apache-2.0
// Replays a binary log on a server in the state after the setup, as a replica would.
//
// The server does it itself, by its own code for replicas, which alone knows all kinds of events,
// the settings under which a statement ran, and the errors that are expected of it: the log's files
// are laid into its data directory as relay logs, and its SQL thread goes through them. No network,
// no other program. The server is good for nothing else afterwards.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "summaries/source.h"
#include "targets/mariadb/state/replayed_log.h"
#include "targets/mariadb/state/written_log.h"

namespace esox {

struct ReplayServer {
  // A connection of our own, with multi-statements allowed.
  Ask own;
  // Of the clients. They are ended first: a replica has no such sessions, and what they hold since
  // the setup (open transactions, locks) would stand in the way.
  std::vector<uint64_t> connections;
  std::filesystem::path data;
  std::function<bool()> interrupted;
};

ReplayedLog replay(const WrittenLog& log, const ReplayServer& server);

}  // namespace esox
