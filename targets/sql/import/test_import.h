// SPDX-License-Identifier: Apache-2.0
// All steps from the log of one test to its inputs: cut, slice, select.
#pragma once

#include <cstddef>
#include <set>
#include <string>
#include <vector>

#include "inputs/import/files_import.h"
#include "inputs/import/imported_input.h"
#include "inputs/import/selection.h"
#include "targets/imports.h"
#include "targets/sql/import/make_input.h"

namespace esox {

struct CapturedTest {
  std::string name;                         // "main/view"
  std::string requests;                     // its log (request_log.h)
  std::vector<std::string> server_options;  // that the test asks for
};

// What the statements of a test do not tell.
struct TestFacts {
  size_t first_member = 0;                  // statements before it are setup only
  std::vector<std::string> server_options;  // that the test asks for
};

inline constexpr const char* kMtrSource = "mtr";
inline constexpr size_t kMostTooLong = 1000;  // of a test; later ones have yet longer prefixes

// Candidates, the best first, become inputs as long as the selection wants more.
TestInputs inputs_of_test(const ImportSource& source, const std::string& name,
                          const LoggedTest& test, const TestFacts& facts, Selection& selection,
                          ImportCounts& counts);

// Tests in a fixed order. Safe on any log.
TestInputs import_test(const RequestLanguage& language, const CapturedTest& test,
                       Selection& selection, ImportCounts& counts);

// Inputs of the test made again: with the full prefix (prefix.cpp) as their setup, of candidates
// whose slice was too long or failed when it was tried.
//
// The best candidates first, as long as the selection, which knows the inputs admitted, wants more.
// An input of a `known` id has been tried before: its slice was the whole prefix.
std::vector<ImportedInput> import_prefixes(const RequestLanguage& language,
                                           const CapturedTest& test,
                                           std::vector<Candidate> candidates,
                                           const std::set<std::string>& known, Selection& selection,
                                           ImportCounts& counts);

}  // namespace esox
