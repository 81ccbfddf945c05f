// SPDX-License-Identifier: Apache-2.0
// What esox import makes of files of SQL.
#include "targets/mariadb/language.h"
#include "targets/mariadb/target.h"
#include "targets/sql/import/sql_import.h"
#include "targets/sql/import/sql_script.h"

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

constexpr FileImport kFileImport = {
    {"sql", "of files of SQL", kSqlHelp},
    "a file of SQL",
    kMaxScriptBytes,
    [](const std::vector<ImportFile>& files, SelectionLimits limits) {
      return import_sql(files, limits, mariadb_language());
    }};

}  // namespace

const FileImport* MariadbTarget::file_import() const {
  return &kFileImport;
}

}  // namespace esox
