// SPDX-License-Identifier: Apache-2.0
// The test of a schedule, found by trying: points that each held request passes, three rounds with
// our own clients, then twenty, then the test as it is sent, by the server's own test programs.
#pragma once

#include "targets/mysqld/server.h"
#include "targets/sync_test.h"

namespace esox {

// Throws ServerError, ClientError.
SyncTest search_sync_test(MysqldServer& server, const SyncTestRequest& request);

}  // namespace esox
