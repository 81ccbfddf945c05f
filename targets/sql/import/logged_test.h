// SPDX-License-Identifier: Apache-2.0
// What one test of a suite did, from the log of its requests: the statements, in the order in which
// they were sent, with their error numbers and the objects they used.
//
// Text, session and error are what passed between client and server. The objects are those that the
// texts name, with what was defined at that time (script_objects.h). A statement that was never
// answered is kept, but not `matched`: its effect is not known, so nothing is made of it, and
// nothing of what depends on it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "targets/sql/import/access.h"

namespace esox {

struct LoggedStatement {
  uint64_t connection = 0;
  std::string text;
  std::string kind;      // statement_kind
  std::string database;  // that was current when it ended
  bool matched = false;
  uint32_t error = 0;                  // 0: it succeeded; meaningless unless matched
  std::optional<bool> in_transaction;  // its session then, as the server said; none: not known
  Accesses accesses;
};

struct LoggedTest {
  std::vector<LoggedStatement> statements;
  std::map<std::string, size_t> rejected;  // what of the log is not in `statements`, by reason
};

// Logs beyond this are not read: `rejected` says so.
inline constexpr size_t kMaxTestLogBytes = size_t{512} << 20;

// Safe on any bytes.
LoggedTest read_logged_test(std::string_view request_log);

}  // namespace esox
