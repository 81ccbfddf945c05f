// SPDX-License-Identifier: Apache-2.0
// A test at the sync points that a build for debugging has; where none of them lies in the window,
// at one that a line adds to the source, which goes with the test as a patch. Points after all
// statements of the functions around the places are compiled in at once and tried as any others;
// then the one that works, alone.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>

#include "targets/mysqld/server.h"
#include "targets/sync_test.h"

namespace esox {

// `cache`: of what starts share; empty: where it is kept for good.
using MakeServer = std::function<std::unique_ptr<MysqldServer>(const std::filesystem::path& program,
                                                               const std::filesystem::path& cache)>;

// Throws ServerError, ClientError.
SyncTest find_sync_test(const SyncTestRequest& request, const MakeServer& make);

}  // namespace esox
