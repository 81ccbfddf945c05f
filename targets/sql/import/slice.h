// SPDX-License-Identifier: Apache-2.0
// What must have happened before a candidate's requests: the few statements of the test, going
// backwards, that made the objects they use, and the settings of their sessions.
//
// A backward slice over objects: a statement that changed a needed object is taken, and what it
// used is needed from there on; what creates an object ends the need for it, and so does what drops
// it, as an input's database is empty at the beginning. Settings of a session are kept where one of
// the taken statements runs under them; each client gets those in force at the cut.
//
// What a transaction did that was committed before the cut is done without one. What was undone, or
// not yet committed then, has not happened.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "inputs/import/imported_input.h"
#include "targets/sql/import/logged_test.h"
#include "targets/sql/import/session_settings.h"
#include "targets/sql/import/session_state.h"
#include "targets/sql/import/transactions.h"

namespace esox {

inline constexpr const char* kSliceTooLong = "setup: longer than the limit";

struct Slice {
  std::vector<size_t> setup;                 // statements' numbers, ascending
  std::vector<std::vector<size_t>> clients;  // of each client: the settings of its session
  std::string refused;                       // why there is none; empty: there is one
  bool whole = false;                        // the full prefix (prefix.cpp), not a slice
};

// A setup takes a millisecond or so for each statement, on each engine, in each trial and hunt.
inline constexpr size_t kMostPrefix = 400;  // statements
// Inputs of a test are one file, which is read whole (limits.h).
inline constexpr size_t kMostPrefixBytes = size_t{64} << 10;

// Slices of one test, which must outlive it.
class Slicer {
 public:
  Slicer(const LoggedTest& test, const SessionStates& states,
         const LoggedTransactions& transactions);
  // `hidden`: statements that are taken not to have happened; empty: none.
  Slice slice(const Candidate& candidate, const std::vector<bool>& hidden = {}) const;
  // All that came before the candidate instead (prefix.cpp).
  Slice prefix(const Candidate& candidate) const;

 private:
  const LoggedTest& test_;
  const SessionStates& states_;
  const LoggedTransactions& transactions_;
  std::vector<StatementFacts> facts_;
};

}  // namespace esox
