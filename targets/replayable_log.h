// SPDX-License-Identifier: Apache-2.0
// A log that a server writes of what it does (a binary log, a journal), and what another server
// makes of it: where the two differ, the log tells another history than the tables.
//
// What is in a log is the target's affair (target.h); the engine only knows when two are equal and
// whether one could be read.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "summaries/digest.h"
#include "summaries/outcome.h"
#include "targets/client.h"

namespace esox {

// As an execution left it: its files from where it stood after the setup on.
struct WrittenLog {
  std::vector<std::string> files;       // their contents
  uint64_t position = 0;                // in the first one: where the setup ended
  bool gone = false;                    // what followed the setup is no longer all there
  std::string unavailable;              // why it could not be read; empty: it was
  std::vector<uint64_t> sessions = {};  // the server's numbers of the clients' connections
  Digest digest = {};  // two logs with equal digests give the same from the same state
};

// What came of replaying it on a server in the state after the setup.
struct ReplayedLog {
  StateSummary tables;      // what the log gives, as components of the state
  std::string stopped;      // the error that a replica would stop at; empty: all was applied
  bool gone = false;        // nothing was replayed: the log does not reach back to the setup
  std::string unavailable;  // why it could not be replayed
};

// The server that replays.
struct ReplaySession {
  Client& own;
  const std::vector<std::unique_ptr<Client>>& clients;
  const std::filesystem::path& folder;  // where its files are
  std::function<bool()> interrupted;
};

}  // namespace esox
