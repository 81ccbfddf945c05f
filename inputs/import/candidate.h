// SPDX-License-Identifier: Apache-2.0
// Cuts a test into candidates: requests that stood close together in the test, share an object of
// which one of them changes something, and could as well have come from different clients.
//
// What lies between two members must not conflict with the earlier one, so that it may go before
// both: the pair then means what it meant in the test ("clean"). Where a connection holds a
// transaction or a lock open at the cut, there is no candidate; where a transaction is whole, its
// statements are one session.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "inputs/import/logged_test.h"
#include "inputs/import/session_state.h"

namespace esox {

struct Candidate {
  enum class Form {
    kPair,       // one request against one
    kOneToMany,  // one against up to three
    kSessions,   // two sessions of up to five requests, or of a whole transaction
    kThree,      // three clients with one request each
  };
  Form form = Form::kPair;
  std::vector<std::vector<size_t>> clients;  // of each: its statements' numbers, ascending
};

const char* name_of(Candidate::Form form);  // "pair", "one-to-many", "sessions", "three"

inline constexpr size_t kWindow = 10;        // statements between first and last of a pair
inline constexpr size_t kMostFollowers = 3;  // of one-to-many
inline constexpr size_t kMostSessionLength = 10;

struct Cut {
  std::vector<Candidate> candidates;       // in the order of their last statements
  std::map<std::string, size_t> counts;    // "pairs looked at", "... sharing an object", ...
  std::map<std::string, size_t> rejected;  // statements and pairs, by reason
};

Cut cut(const LoggedTest& test, const SessionStates& states);

}  // namespace esox
