// SPDX-License-Identifier: Apache-2.0
// What a capture writes for the runner (the wrapper in place of the test's client program) and what
// it reads of it (the logs kept by the wrapper, the runner's own lines).
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "targets/imports.h"

namespace esox {

// Of a finished test.
inline constexpr const char* kGeneralLog = "general.log";
inline constexpr const char* kAuditLog = "audit.log";

// A folder with links to all client programs but mariadb-test, in whose place the wrapper is.
// Finished tests will be in `done`/SUITE/TEST[,COMBINATION]. Throws ServerError.
void make_client_folder(const std::filesystem::path& folder, const std::filesystem::path& clients,
                        const std::filesystem::path& done);

// What is complete in `done` now, in the order of their names.
std::vector<FinishedTest> finished_tests(const std::filesystem::path& done);

// Of each test that the runner did not even begin, by "suite/name": why. Of lines like
//   main.view_debug      [ skipped ]  Requires debug build
std::map<std::string, std::string> skipped_by_runner(std::string_view runner_log);

}  // namespace esox
