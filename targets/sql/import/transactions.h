// SPDX-License-Identifier: Apache-2.0
// The transactions of a test, each as the statements of its session from the first after which one
// was open to the one after which none was (session_state.h): BEGIN to COMMIT or ROLLBACK, what
// lies between two ends where autocommit is off, XA START to XA COMMIT.
//
// One that is to be some client's requests is judged by what was seen at its ends, at an isolation
// level. So it is `unfit` if that says nothing of it: rows outside of transactions (temporary
// tables), locks that no transaction owns (tables, users'), statements that do not wait for locked
// rows, victims and waits of the test's own, and what does not begin and end by itself.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "targets/sql/import/logged_test.h"
#include "targets/sql/import/session_state.h"

namespace esox {

struct LoggedTransaction {
  std::vector<size_t> members;  // statements' numbers, without those that only report
  std::string isolation_level;  // as inputs name it; empty: the test did not say
  std::string xa_name;          // as written; empty: it is none of XA
  std::string unfit;            // why it is no client's requests; empty: it is fit
};

// What became of what a statement did.
enum class Fate {
  kKept,    // it was in no transaction, or in one that was committed
  kUndone,  // all of its transaction was
  kPartly,  // parts of its transaction were, or it never ended
};

struct LoggedTransactions {
  std::vector<LoggedTransaction> all;  // in the order of their ends
  // By statement: what became of it, and the statement with which it did: itself, or the last of
  // its transaction.
  std::vector<Fate> fates;
  std::vector<size_t> ends;
  std::vector<std::string> levels;  // in force for a statement on its own
};

// `server_options`: those that the test asks for, which may name a level.
LoggedTransactions transactions_of(const LoggedTest& test, const SessionStates& states,
                                   const std::vector<std::string>& server_options = {});

// Why a statement is no part of a transaction that can be judged; empty: it may be. The states: of
// its session before and after it.
std::string unfit_in_transaction(const LoggedStatement& one, const SessionState& before,
                                 const SessionState& after);

// Whether a SET is about transactions: their isolation level, or autocommit.
bool sets_isolation_level(const std::string& statement);
bool sets_autocommit(const std::string& statement);

// The weaker of two levels; an empty one is the server's own.
std::string weaker_level(const std::string& a, const std::string& b);

}  // namespace esox
