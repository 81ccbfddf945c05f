// SPDX-License-Identifier: Apache-2.0
// An input made of a candidate and its slice, with all that the corpus keeps of where it is from.
#pragma once

#include <string>
#include <vector>

#include "inputs/import/candidate.h"
#include "inputs/import/logged_test.h"
#include "inputs/import/slice.h"
#include "inputs/input.h"

namespace esox {

struct ImportedInput {
  Input input;
  std::string test;  // "main/view"
  Candidate::Form form = Candidate::Form::kPair;
  std::vector<size_t> statements;  // the members' numbers in the test, from 1
  bool failing = false;            // a member ended with an error in the test
  bool drops_tables = false;       // a member creates or drops a whole table or database
  std::string kinds;
  std::string shape;
};

// CREATE TABLE, DROP DATABASE and their kin.
bool is_about_whole_object(const std::string& kind);

// The id is made of the test's name and the input's own text: the same suite gives the same ids,
// whatever else was captured. An input that the format cannot hold is `refused`.
struct Made {
  ImportedInput imported;
  std::string refused;
};

Made make_input(const std::string& test_name, const LoggedTest& test, const Candidate& candidate,
                const Slice& slice, const std::vector<std::string>& server_options);

}  // namespace esox
