// SPDX-License-Identifier: Apache-2.0
// The server's own test programs, beside the build for debugging: the client that plays a test
// (mariadb-test), and the runner that starts servers for tests (mtr).
#pragma once

#include <atomic>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "targets/sync_test.h"

namespace esox {

struct TestPrograms {
  std::filesystem::path client;
  std::filesystem::path runner;  // empty: it is not there
  std::filesystem::path suite;   // the folder with include/
  std::filesystem::path build;   // that the runner takes the server from; empty: its own
};

// Throws ServerError.
TestPrograms test_programs_of(const std::filesystem::path& server);

struct TestSaid {
  bool passed = false;
  std::string text;
};

// By the client, on a server that runs. `log`: where what the test prints goes, if anybody asks.
TestSaid play_test(const TestPrograms& programs, const std::filesystem::path& test,
                   const std::string& socket, const std::filesystem::path& folder);

// What a test printed as it was played last in this folder.
std::string printed_by_test(const std::filesystem::path& folder, const std::string& name);

// By the runner, each test of this folder so often, on servers of its own without network: how
// often each passed, of how many. Throws ServerError if it gave no verdict.
struct RunnerVerdict {
  std::map<std::string, SyncTally> passed;  // by the test's name
  std::string text;
};
RunnerVerdict run_suite(const TestPrograms& programs, const std::filesystem::path& tests,
                        const std::vector<std::string>& names, unsigned times,
                        const std::filesystem::path& folder);

}  // namespace esox
