// SPDX-License-Identifier: Apache-2.0
// What is wrong with an execution, as a condition that a test can put: one value of an answer, or
// two, that no serial order gives (together).
//
// Pure.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "summaries/outcome.h"

namespace esox {

// By label: of requests "A1", of questions about the state "rows:t1".
using Answers = std::map<std::string, Output>;

// A value that a test can ask for.
struct SyncValue {
  enum class Kind {
    kError,         // its number
    kAffectedRows,  // ROW_COUNT()
    kWarnings,      // @@warning_count
    kCell,          // of a row and a column
  };
  std::string label;
  Kind kind = Kind::kError;
  unsigned row = 0;  // from 1
  std::string column;
  auto operator<=>(const SyncValue&) const = default;  // NOLINT(modernize-use-nullptr): false
};

// As the test program's query_get_value() gives it. Nothing: no such value, or one that cannot be
// written into a test.
std::optional<std::string> value_in(const Answers& answers, const SyncValue& value);

struct SyncCondition {
  std::vector<SyncValue> values;
  std::set<std::vector<std::string>> right;  // what the serial orders give
};

// Of answers, the ones that violate. `serial`: several of each order; what differs among these says
// nothing. `seen`: of several rounds, each of which must be wrong. `compared`: labels, or what they
// begin with before ':'. The likeliest to explain first.
std::vector<SyncCondition> conditions(const std::vector<std::vector<Answers>>& serial,
                                      const std::vector<Answers>& seen,
                                      const std::vector<std::string>& compared);

// Whether no serial order gives it.
bool is_wrong(const SyncCondition& condition, const Answers& answers);

}  // namespace esox
