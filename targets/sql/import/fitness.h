// SPDX-License-Identifier: Apache-2.0
// Which statements of a test can become requests of an input, and which its setup; and if not, why.
//
// Unfit is what answers differently from run to run (clocks, random numbers, estimates, counters),
// what leaves the server (files, replication, shutdown), what touches the server's own tables, and
// what no input can hold (not UTF-8, too long).
#pragma once

#include <string>

#include "targets/sql/import/logged_test.h"

namespace esox {

// Each gives the reason, a few words that many statements share; empty: it is fit.

// In the setup: only its effect counts, not its answer.
std::string unfit_for_setup(const LoggedStatement& statement);

// As a request among others.
std::string unfit_for_request(const LoggedStatement& statement);

// As the only request of a client. A setting of the session alone races with nothing.
std::string unfit_alone(const LoggedStatement& statement);

// SET of anything but user and global variables; USE.
bool is_session_setting(const LoggedStatement& statement);

// BEGIN, COMMIT and their kin.
bool is_transaction_end_or_begin(const LoggedStatement& statement);

}  // namespace esox
