// SPDX-License-Identifier: Apache-2.0
// What esox import makes of the servers' own regression suites.
#include "base/process/log_file.h"
#include "targets/mysqld/suites/capture_files.h"
#include "targets/mysqld/suites/suite.h"
#include "targets/mysqld/target.h"
#include "targets/sql/import/test_import.h"

namespace esox {
namespace {

constexpr const char* kSuiteHelp = R"(
Examples:
  esox import mtr --suite main --out corpus
  esox import mtr --server build/servers/mysql-9-test --out corpus
  esox import mtr --suite main --do-test insert --do-test view --out small
  esox hunt corpus --budget 1h
  esox import best corpus --top 50 >best.yaml

A suite is run by its own runner, on private servers, and what its tests do is cut into inputs. An
import that was stopped goes on when it is called again. What the folder holds, and what the counts
mean: docs/importing.md.

Exit status: 0 done or stopped, 2 wrong use or a machine that cannot, 3 esox itself failed.)";

CapturedTest read_test(const TestLogs& test) {
  return {test.name, text_of_file(test.folder / kRequestLog), test.server_options};
}

constexpr SuiteImport kSuiteImport = {
    {"mtr", "of MariaDB's or MySQL's regression suites", kSuiteHelp},
    "main",
    "the mysql-test folder (default: the server's, or where it usually is)",
    [](const std::filesystem::path& folder, const std::filesystem::path& near)
        -> std::unique_ptr<TestSuites> { return std::make_unique<MysqldSuites>(folder, near); },
    kClientCommand,
    run_as_client,
    [](const RequestLanguage& language, const TestLogs& test, Selection& selection,
       ImportCounts& counts) { return import_test(language, read_test(test), selection, counts); },
    [](const RequestLanguage& language, const TestLogs& test, std::vector<Candidate> candidates,
       const std::set<std::string>& known, Selection& selection, ImportCounts& counts) {
      return import_prefixes(language, read_test(test), std::move(candidates), known, selection,
                             counts);
    }};

}  // namespace

const SuiteImport* MysqldTarget::suite_import() const {
  return &kSuiteImport;
}

}  // namespace esox
