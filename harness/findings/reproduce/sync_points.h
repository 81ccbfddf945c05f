// SPDX-License-Identifier: Apache-2.0
// A reproducer's schedule as a test of the server's own suite (targets/sync_test.h), on a build for
// debugging. Where its threads are held by function there, is played first: how many sync points a
// thread has passed by then says which to try first.
#pragma once

#include <atomic>
#include <chrono>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "analysis/finding.h"
#include "harness/findings/reproduce/reproducer.h"
#include "targets/sync_test.h"

namespace esox {

// `reproducer`: a found one, which is not changed. Throws ServerError, ClientError.
SyncTest sync_point_test(const Reproducer& reproducer, const Finding& finding,
                         const std::filesystem::path& debug_server,
                         std::chrono::milliseconds budget, const std::atomic<bool>& stop);

// "sync-point test fails 100 of 100, ..."
std::string sync_test_line(const SyncTest& test);
nlohmann::ordered_json sync_test_json(const SyncTest& test);

}  // namespace esox
