// SPDX-License-Identifier: Apache-2.0
// Cuts a test into candidates: requests that stood close together in the test, share an object of
// which one of them changes something, and could as well have come from different clients.
//
// What lies between two members must not conflict with the earlier one, so that it may go before
// both: the pair then means what it meant in the test ("clean"). Where a connection holds a
// transaction or a lock open at the cut, there is no candidate of single requests.
//
// Whole transactions (transactions.h) become candidates of their own, with each other and with
// requests that were a transaction by themselves: two, or three, that ended one after the other.
// What others did in between matters less to them, for they mean something by themselves; but no
// definition of what the first one uses may lie there.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "inputs/import/imported_input.h"
#include "targets/sql/import/logged_test.h"
#include "targets/sql/import/session_state.h"
#include "targets/sql/import/transactions.h"

namespace esox {

inline constexpr size_t kMostFollowers = 3;  // of one-to-many
// Of transactions: how many later ones each is put together with, and how far the next one may
// begin after its end, in statements.
inline constexpr size_t kMostPartners = 3;
inline constexpr size_t kTransactionWindow = 30;

struct Cut {
  std::vector<Candidate> candidates;       // in the order of their last statements
  std::map<std::string, size_t> counts;    // "pairs looked at", "... sharing an object", ...
  std::map<std::string, size_t> rejected;  // statements and pairs, by reason
};

Cut cut(const LoggedTest& test, const SessionStates& states,
        const LoggedTransactions& transactions);

// The most telling first: those without a request that failed in the test or that creates or drops
// a whole table, as most of what these show is that a table was not there yet. Among equals, one of
// each combination of kinds of statement, then a second one of each, and so on.
std::vector<Candidate> in_order(const LoggedTest& test, std::vector<Candidate> candidates);

// CREATE TABLE, DROP DATABASE and their kin.
bool is_about_whole_object(const std::string& kind);

}  // namespace esox
