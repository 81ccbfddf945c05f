// SPDX-License-Identifier: Apache-2.0
// The log of a made-up test, put together statement by statement.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "targets/sql/import/request_log.h"

namespace esox::testing_import {

struct Told {
  std::string text;
  uint32_t error = 0;
  uint64_t session = 4;
  std::optional<bool> open = std::nullopt;  // whether the server said that a transaction is
};

inline const Told kCreate = {"CREATE TABLE t1 (a INT)"};
inline const Told kInsert = {"INSERT INTO t1 VALUES (1)"};
inline const Told kSelect = {"SELECT a FROM t1"};

inline std::string log_of(const std::vector<Told>& statements) {
  std::string log;
  std::set<uint64_t> begun;
  for (const Told& one : statements) {
    if (begun.insert(one.session).second) {
      log += text_of({one.session, 0, std::string(kLoginRequest), "test"});
    }
    log += text_of({one.session, one.error, std::string(kQueryRequest), one.text, one.open});
  }
  return log;
}

}  // namespace esox::testing_import
