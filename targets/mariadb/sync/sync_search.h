// SPDX-License-Identifier: Apache-2.0
// The test of a schedule, found by trying: points that each held request passes, three rounds with
// our own clients, then twenty, then the test as it is sent, by the server's own test programs.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "targets/mariadb/sync/points.h"
#include "targets/mysqld/server.h"
#include "targets/sync_test.h"

namespace esox {

struct SyncSearchLimits {
  std::vector<SyncPoint> only;   // tried, one for each hold; empty: what the requests pass
  std::set<std::string> one_of;  // the names that at least one of them must have; empty: any
  unsigned test_rounds = 100;    // of the test as it is sent
  bool by_runner = true;         // too
};

struct FoundSyncTest : SyncTest {
  std::vector<SyncPoint> chosen;
};

// Throws ServerError, ClientError.
FoundSyncTest search_sync_test(MysqldServer& server, const SyncTestRequest& request,
                               const SyncSearchLimits& limits);

}  // namespace esox
