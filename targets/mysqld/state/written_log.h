// SPDX-License-Identifier: Apache-2.0
// The binary log as an execution left it: its files from where it stood after the setup on, with
// all that SHOW BINLOG EVENTS does not tell (the rows of row events, the settings of statements).
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "summaries/digest.h"
#include "targets/replayable_log.h"

namespace esox {

// Larger logs are not read.
inline constexpr uint64_t kMaxLogBytes = uint64_t{16} << 20;

// Which part of the log was written since the setup, as the server tells it.
struct LogSpan {
  struct File {
    std::string name;
    uint64_t bytes = 0;
    bool operator==(const File&) const = default;
  };
  std::vector<File> files;  // in order; in the first one the setup ended at `position`
  uint64_t position = 0;
  bool gone = false;        // RESET MASTER, PURGE: what followed the setup is no longer all there
  std::string unavailable;  // why it is not known; empty: it is
};

// With its digest. `data` is the server's data directory.
WrittenLog read_written_log(const LogSpan& span, const std::filesystem::path& data);

// Of the events, byte for byte but for the numbers of transactions. Two logs with equal digests
// give the same when they are replayed from the same state.
Digest digest_of(const WrittenLog& log);

}  // namespace esox
