// SPDX-License-Identifier: Apache-2.0
// The events of a binary log's file, one after the other (MySQL's internals manual, "Binary Log
// Event"; MariaDB's knowledge base, "Replication Protocol").
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace esox {

// An event's header: time (4 bytes), type (1), server (4), size (4), end (4), flags (2). Numbers
// are little-endian.
inline constexpr size_t kEventHeaderBytes = 19;
inline constexpr size_t kLogMagicBytes = 4;  // of a file

enum class LogEventType : unsigned char {
  kQuery = 2,
  kStop = 3,
  kRotate = 4,
  kFormat = 15,
  kXid = 16,
  kTableMap = 19,
  kWriteRows = 23,
  kUpdateRows = 24,
  kDeleteRows = 25,
  kRowsQuery = 29,  // MySQL's, and the four that follow
  kWriteRows2 = 30,
  kUpdateRows2 = 31,
  kDeleteRows2 = 32,
  kMysqlGtid = 33,
  kMysqlNoGtid = 34,
  kMysqlGtids = 35,
  kAnnotateRows = 160,
  kCheckpoint = 161,
  kGtid = 162,  // MariaDB's
  kGtidList = 163
};

// At most 8 bytes.
uint64_t little_endian(std::string_view bytes);

// Takes the next event off `rest`, which is not empty. Everything that is left, where there is no
// whole one: it is shorter than a header then, or than its header says.
std::string_view take_event(std::string_view& rest);

inline LogEventType type_of(std::string_view event) {
  return static_cast<LogEventType>(event[4]);
}
inline uint64_t server_of(std::string_view event) {
  return little_endian(event.substr(5, 4));
}

}  // namespace esox
