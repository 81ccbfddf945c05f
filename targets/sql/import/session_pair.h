// SPDX-License-Identifier: Apache-2.0
// What two sessions did, in an order in which each pair of their requests can be sliced: what came
// before; the requests of both; and those of both once more, to be members. What a pair's sessions
// did not do before it is hidden from the slice.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "inputs/import/imported_input.h"
#include "targets/sql/import/script_test.h"
#include "targets/sql/import/slice.h"

namespace esox {

// Settings, user variables, prepared statements.
bool is_of_session(const LoggedStatement& statement);

class SessionPair {
 public:
  // `left`, `right`: two of the files. `rolled_back`: of each statement, whether its transaction
  // was; what other transactions did can as well be done without one. `settings`: some file makes
  // settings of its own.
  SessionPair(const ScriptTest& told, const std::vector<bool>& rolled_back, bool settings,
              size_t left, size_t right);

  const LoggedTest& test() const { return test_; }
  // The members, by their numbers in what was told.
  Candidate again(size_t left, size_t right) const;
  Slice slice(const Candidate& candidate) const;  // of one that again() gave

 private:
  void add(const ScriptTest& told, size_t i, size_t session);

  bool settings_;
  LoggedTest test_;
  SessionStates states_;
  LoggedTransactions transactions_;
  std::vector<size_t> from_;      // of each statement: its number in what was told
  std::vector<size_t> sessions_;  // of each statement
  size_t first_request_ = 0;
  size_t first_member_ = 0;
  std::unique_ptr<Slicer> slicer_;
};

}  // namespace esox
