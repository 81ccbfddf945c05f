// SPDX-License-Identifier: Apache-2.0
// Files of SQL become inputs.
//
// One file is the log of one session: what it did one statement after the other is cut into pairs
// and short sessions, as the tests of a suite are (imported_input.h, slice.h, selection.h).
//
// Several files are sessions that go on at the same time:
//   whole    one input, each file a client with all its requests; the setup is all files' setup
//            parts, file by file. None if the files have more clients or requests than an input
//            may.
//   pairs    one request of one file against one of another that share an object which one changes.
//            What the two sessions did before goes into the setup, the first file's first, as far
//            as it made or changed what the two use.
// Requests that no input can have (fitness.h) are left out of their session, and counted.
//
// Files that are setup only come before all of it; settings they make, and the database they end
// in, hold for every client.
//
// What cannot be known without running them: which statements fail (all are taken to succeed), and
// what script_objects.h says.
#pragma once

#include <vector>

#include "inputs/import/files_import.h"
#include "inputs/import/selection.h"
#include "targets/sql/import/script_test.h"

namespace esox {

// Throws InputError, see sql_script.h; also: no file with requests, too many files, a session that
// is too long.
FilesImport import_sql(const std::vector<ImportFile>& files, SelectionLimits limits,
                       const RequestLanguage& language);

}  // namespace esox
