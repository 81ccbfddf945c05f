// SPDX-License-Identifier: Apache-2.0
// What a capture writes for the runner (a folder of programs, with ours in place of the tests'
// client program) and what it reads of it (what ours has kept of each test, the runner's lines).
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "targets/imports.h"

namespace esox {

inline constexpr const char* kRequestLog = "requests.log";  // of a finished test

// A folder with `programs`, each to be run as it needs to be (own_loader.h): links, or scripts. In
// place of the one called `client` is a script that runs `stand_in` with `done`, the client program
// and its arguments. Throws ServerError.
struct StandIn {
  std::string client;                 // "mysqltest"
  std::vector<std::string> stand_in;  // a command
  std::filesystem::path done;
};
void make_program_folder(const std::filesystem::path& folder,
                         const std::vector<std::filesystem::path>& programs,
                         const StandIn& stand_in);

// The stand-in: `done`, the client program, its arguments. Runs it, and keeps in
// `done`/SUITE/TEST[,COMBINATION] what all clients asked of the test's server meanwhile, whole or
// not at all. Scripts of the suite itself (include/check-testcase.test) are run only. Gives the
// client program's exit status. Throws ServerError.
int run_as_client(const std::vector<std::string>& arguments);

// What is complete in `done` now, in the order of their names.
std::vector<FinishedTest> finished_tests(const std::filesystem::path& done);

// Of each test that the runner did not even begin, by "suite/name": why. Of lines like
//   main.view_debug      [ skipped ]  Requires debug build
std::map<std::string, std::string> skipped_by_runner(std::string_view runner_log);

}  // namespace esox
