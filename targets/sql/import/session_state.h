// SPDX-License-Identifier: Apache-2.0
// What a connection holds open between two statements of a test. A request that is cut out where
// something is open would mean another thing: such places are not cut. Whether a transaction is
// open is what the server said; where that is not known, what the texts tell.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "targets/sql/import/logged_test.h"

namespace esox {

struct SessionState {
  bool transaction = false;                // begun, not ended; or autocommit is off
  bool open = false;                       // a transaction is
  bool locks = false;                      // LOCK TABLES, FLUSH TABLES WITH READ LOCK, GET_LOCK
  bool handlers = false;                   // HANDLER ... OPEN
  std::set<std::string> temporary_tables;  // "table:test.t1"

  bool closed() const { return !transaction && !locks && !handlers; }
};

// Of each statement: what its connection holds open just before and just after it.
struct SessionStates {
  std::vector<SessionState> before;
  std::vector<SessionState> after;
};

SessionStates session_states(const LoggedTest& test);

}  // namespace esox
