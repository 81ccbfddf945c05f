// SPDX-License-Identifier: Apache-2.0
// All steps from the logs of one test to its inputs: cut, slice, select.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "inputs/import/files_import.h"
#include "inputs/import/imported_input.h"
#include "inputs/import/selection.h"
#include "targets/sql/import/make_input.h"

namespace esox {

struct CapturedTest {
  std::string name;  // "main/view"
  std::string general_log;
  std::string audit_log;
  std::vector<std::string> server_options;  // that the test asks for
};

// What the statements of a test do not tell.
struct TestFacts {
  size_t first_member = 0;                  // statements before it are setup only
  std::vector<std::string> server_options;  // that the test asks for
};

struct TestInputs {
  std::vector<ImportedInput> inputs;
  std::vector<Candidate> too_long;  // of those without a slice for its length, the earliest
};

inline constexpr const char* kMtrSource = "mtr";
inline constexpr size_t kMostTooLong = 1000;  // of a test; later ones have yet longer prefixes

// Candidates, the best first, become inputs as long as the selection wants more.
TestInputs inputs_of_test(const ImportSource& source, const std::string& name,
                          const LoggedTest& test, const TestFacts& facts, Selection& selection,
                          ImportCounts& counts);

// Tests in a fixed order. Safe on any logs.
TestInputs import_test(const RequestLanguage& language, const CapturedTest& test,
                       Selection& selection, ImportCounts& counts);

}  // namespace esox
