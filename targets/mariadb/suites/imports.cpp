// SPDX-License-Identifier: Apache-2.0
// What esox import makes of files of SQL and of MariaDB's own regression suites.
#include "base/process/log_file.h"
#include "targets/mariadb/language.h"
#include "targets/mariadb/suites/capture_files.h"
#include "targets/mariadb/suites/suite.h"
#include "targets/mariadb/target.h"
#include "targets/sql/import/sql_import.h"
#include "targets/sql/import/sql_script.h"
#include "targets/sql/import/test_import.h"

namespace esox {
namespace {

constexpr const char* kSqlHelp = R"(
One file is what one session did, one statement after the other: it is cut into pairs of statements
and short sessions that could as well have come from different clients. Several files are sessions
that go on at the same time: the input "sessions" has each as a client, and there are inputs of each
pair of statements of two files of which one changes what the other uses.

Statements end as for the mariadb client: by ; or what DELIMITER says. A line with the comment
"-- esox: setup" begins a part that runs before all clients, "-- esox: requests" ends it. Tables
have to be created by the files themselves; inputs begin in the empty database test.

Examples:
  esox import sql session.sql --out corpus
  esox import sql buy.sql sell.sql --setup schema.sql --out corpus
  esox hunt corpus

The tables that statements use are those that their texts name. Each input is then tried: those
whose setup fails, or whose replies differ from run to run, are rejected. What is left out is
counted, by reason. More: docs/importing.md.

Exit status: 0 done or stopped, 2 wrong use or bad input, 3 esox itself failed.)";

constexpr const char* kSuiteHelp = R"(
Examples:
  esox import mtr --suite main --out corpus
  esox import mtr --suite main --do-test insert --do-test view --out small
  esox hunt corpus --budget 1h
  esox import best corpus --top 50 >best.yaml

A suite is run by its own runner, on private servers, and what its tests do is cut into inputs. An
import that was stopped goes on when it is called again. What the folder holds, and what the counts
mean: docs/importing.md.

Exit status: 0 done or stopped, 2 wrong use or a machine that cannot, 3 esox itself failed.)";

CapturedTest read_test(const TestLogs& test) {
  return {test.name, text_of_file(test.folder / kGeneralLog), text_of_file(test.folder / kAuditLog),
          test.server_options};
}

constexpr FileImport kFileImport = {
    {"sql", "of files of SQL", kSqlHelp},
    "a file of SQL",
    kMaxScriptBytes,
    [](const std::vector<ImportFile>& files, SelectionLimits limits) {
      return import_sql(files, limits, mariadb_language());
    }};

constexpr SuiteImport kSuiteImport = {
    {"mtr", "of MariaDB's regression suites", kSuiteHelp},
    "main",
    "the mysql-test folder (default: where it usually is)",
    [](const std::filesystem::path& folder) -> std::unique_ptr<TestSuites> {
      return std::make_unique<MariadbSuites>(folder);
    },
    [](const TestLogs& test, Selection& selection, ImportCounts& counts) {
      return import_test(mariadb_language(), read_test(test), selection, counts);
    },
    [](const TestLogs& test, std::vector<Candidate> candidates, const std::set<std::string>& known,
       Selection& selection, ImportCounts& counts) {
      return import_prefixes(mariadb_language(), read_test(test), std::move(candidates), known,
                             selection, counts);
    }};

}  // namespace

const FileImport* MariadbTarget::file_import() const {
  return &kFileImport;
}

const SuiteImport* MariadbTarget::suite_import() const {
  return &kSuiteImport;
}

}  // namespace esox
