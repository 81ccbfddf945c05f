// SPDX-License-Identifier: Apache-2.0
// An input of a candidate of a test and its slice.
#pragma once

#include <string>
#include <vector>

#include "inputs/import/imported_input.h"
#include "targets/sql/import/logged_test.h"
#include "targets/sql/import/slice.h"

namespace esox {

// What the statements are told by, and what the ids of inputs begin with.
struct ImportSource {
  const RequestLanguage& language;
  std::string name;
};

// With a full prefix as setup, only what it did to tables of the requests says for which engines
// the input is, and counts in its shape.
//
// The id is made of the source ("mtr"), the test's name and the input's own text: the same suite
// gives the same ids, whatever else was captured. An input that the format cannot hold is
// `refused`; so is one of transactions on tables that have none, or that gives out numbers
// (AUTO_INCREMENT), which come in the order of asking.
struct Made {
  ImportedInput imported;
  std::string refused;
};

Made make_input(const ImportSource& source, const std::string& test_name, const LoggedTest& test,
                const Candidate& candidate, const Slice& slice,
                const std::vector<std::string>& server_options);

}  // namespace esox
