// SPDX-License-Identifier: Apache-2.0
// MariaDB's own regression suites, where Debian's packages, scripts/get-mariadb-test or a source
// tree have them.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace esox {

struct SuiteRunner {
  std::filesystem::path folder;   // mysql-test, where mariadb-test-run.pl is
  std::filesystem::path clients;  // the folder of mariadb-test and the other client programs
};

struct SuiteTest {
  std::string suite;                        // "main"
  std::string name;                         // "view"
  std::string left_out;                     // why it is not captured; empty: it is
  std::vector<std::string> server_options;  // that it asks for

  std::string key() const { return suite + "/" + name; }
};

// `wanted`: a mysql-test folder; empty: where it usually is. Throws ServerError with the remedy.
SuiteRunner find_suite_runner(const std::filesystem::path& wanted);

// All tests of the suite in the order of their names; of these, if there are any in `only`, those
// whose name begins with one of them. Throws ServerError: no such suite, no such test.
std::vector<SuiteTest> tests_of(const SuiteRunner& runner, const std::string& suite,
                                const std::vector<std::string>& only);

}  // namespace esox
