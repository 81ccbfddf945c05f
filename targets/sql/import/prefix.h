// SPDX-License-Identifier: Apache-2.0
// The full prefix of a candidate as its setup: what the test did before it, where the slice of it
// (slice.h) was too long or missed something, such as a routine that another one calls by a text
// put together.
//
// All statements that come before the candidate's last member and are no members: what lies between
// members may go before them (candidate.h). Of these, those that succeeded and are fit for a setup.
// Left out is what only asks.
//
// The setup is one session. It plays the connection that most of the statements came over; those of
// other connections are taken where they mean the same in it: under equal settings, with nothing
// open in either, without variables and temporary tables of their own. What is left out so may be
// missed; that is for the trial to tell.
#pragma once

#include <cstddef>
#include <vector>

#include "inputs/import/candidate.h"
#include "targets/sql/import/logged_test.h"
#include "targets/sql/import/session_settings.h"
#include "targets/sql/import/session_state.h"
#include "targets/sql/import/slice.h"

namespace esox {

// A setup takes a millisecond or so for each statement, on each engine, in each trial and hunt.
inline constexpr size_t kMostPrefix = 400;  // statements
// Inputs of a test are one file, which is read whole (limits.h).
inline constexpr size_t kMostPrefixBytes = size_t{64} << 10;

// Prefixes of one test, which must outlive it.
class Prefixes {
 public:
  Prefixes(const LoggedTest& test, const SessionStates& states);
  Slice prefix(const Candidate& candidate) const;

 private:
  const LoggedTest& test_;
  const SessionStates& states_;
  std::vector<StatementFacts> facts_;
};

}  // namespace esox
