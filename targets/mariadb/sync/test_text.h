// SPDX-License-Identifier: Apache-2.0
// A script with its condition, as a whole test for MariaDB's own test program (mysqltest): it fails
// while the bug is there, and passes wherever the answers are those of a serial order.
//
// The test program can look into an answer only where it says the statement at once
// (query_get_value), not where it sends it and reaps the answer later. So a held request whose rows
// are judged is said at once, and what goes on meanwhile is sent beforehand, as several statements
// in one that begin by waiting for the thread to be held.
//
// Pure.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "targets/mariadb/sync/condition.h"
#include "targets/mariadb/sync/script.h"

namespace esox {

// About the state, once all requests are over.
struct SyncQuestion {
  std::string label;
  size_t session = kConductor;  // or a client, whose own session is asked
  std::string text;
};

struct SyncTestParts {
  const Input& input;
  SyncViolation violation = SyncViolation::kOutcome;
  std::string head;  // in words, for the beginning
  SyncScript script;
  std::optional<SyncCondition> condition;            // of kOutcome
  std::vector<SyncQuestion> questions;               // those that the condition needs are asked
  std::map<std::string, std::set<uint32_t>> errors;  // by label, that may come
  std::vector<std::string> before;                   // said first, and at the end
  std::vector<std::string> after;
};

// Nothing: the test program cannot put this condition to this script.
std::optional<std::string> sync_test_text(const SyncTestParts& parts);

// "Table in row 1 of A1"
std::string value_in_words(const SyncValue& value);

// What `mysqltest` says, beside values, where the condition is not met.
inline constexpr const char* kNoSerialOrder = "no serial order gives";
inline constexpr const char* kStandstill = "wait for each other for good";

// "INSERT ... ;", or with a delimiter of its own where the statement holds semicolons.
std::string said_by_client(const std::string& prefix, const std::string& statement);

}  // namespace esox
