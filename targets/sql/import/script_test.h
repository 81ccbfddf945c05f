// SPDX-License-Identifier: Apache-2.0
// What files of SQL say was done, in the form in which the steps of the import know a test: each
// file is a connection. First come the files that are setup only, one after the other; then the
// setup parts of the others, file by file; then their requests.
//
// No server has run them, so all statements are taken to succeed, and the objects are those of
// script_objects.h. Connections begin in the database `test`, or where the last file of setup
// ended.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "targets/sql/import/logged_test.h"
#include "targets/sql/import/sql_script.h"

namespace esox {

struct SqlSession {
  std::string file;  // as the user named it
  ImportScript script;
  bool setup_only = false;  // it has no requests
};

struct ScriptTest {
  LoggedTest test;
  std::vector<int> lines;                     // of each statement, in its file
  std::vector<std::vector<size_t>> requests;  // of each file: numbers of statements
  size_t first_setup_part = 0;                // those before are of files that are setup only
  size_t first_request = 0;                   // those before are setup
};

ScriptTest script_test(const std::vector<SqlSession>& sessions);

}  // namespace esox
