// SPDX-License-Identifier: Apache-2.0
// A finding as the skeleton of a test for MariaDB's own test program: its connections, its requests
// in the order in which they began and were answered (send, reap), and in comments the places of
// the switches, where a sync point (SET DEBUG_SYNC) would have to hold the thread.
//
// Pure.
#pragma once

#include <string>

#include "targets/export_pieces.h"

namespace esox {

std::string mysqltest_text(const ExportedFinding& finding);

// "INSERT ... ;", or with a delimiter of its own where the statement holds semicolons.
std::string mysqltest_statement(const std::string& prefix, const std::string& statement);

}  // namespace esox
