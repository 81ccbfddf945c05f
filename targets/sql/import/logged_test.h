// SPDX-License-Identifier: Apache-2.0
// What one test of a suite did, from the two logs of its run: the statements, in the order the
// server took them up, with their error numbers and the objects they used.
//
// The text is the general log's, byte for byte; error number and tables are the audit log's. The
// two are matched connection by connection, by the whole text. A statement of the one that has no
// partner in the other is kept, but not `matched`: its effect is not known, so nothing is made of
// it, and nothing of what depends on it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "targets/sql/import/access.h"
#include "targets/sql/import/names.h"

namespace esox {

struct LoggedStatement {
  uint64_t connection = 0;
  std::string text;
  std::string kind;      // statement_kind
  std::string database;  // that was current when it ended
  bool matched = false;
  uint32_t error = 0;  // 0: it succeeded; meaningless unless matched
  Accesses accesses;
};

struct LoggedTest {
  std::vector<LoggedStatement> statements;
  std::map<std::string, size_t> rejected;  // what of the logs is not in `statements`, by reason
};

// Logs beyond this are not read: `rejected` says so. Suite main's largest has some 30 MB.
inline constexpr size_t kMaxTestLogBytes = size_t{512} << 20;

// Safe on any bytes.
LoggedTest read_logged_test(std::string_view general_log, std::string_view audit_log);

}  // namespace esox
