// SPDX-License-Identifier: Apache-2.0
// An input made of a candidate and its slice, with all that the corpus keeps of where it is from.
#pragma once

#include <cstdint>
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
  // [client][request]: as logged, 0 if it succeeded; empty where nobody has run them yet.
  std::vector<std::vector<uint32_t>> errors;
  // The clients in the order of their requests in the log; empty: one after the other.
  std::vector<uint16_t> log_order;
  // All members came over one connection, under equal settings: together they mean the same there.
  bool one_connection = false;
  bool failing = false;       // a member ended with an error in the test
  bool drops_tables = false;  // a member creates or drops a whole table or database
  bool whole_prefix = false;  // its setup is the full prefix (prefix.h), not a slice
  std::string kinds;
  std::string shape;
};

// Its members in the test.
Candidate candidate_of(const ImportedInput& imported);

// Of all that an input says to the server.
uint64_t text_hash(const Input& input);

// CREATE TABLE, DROP DATABASE and their kin.
bool is_about_whole_object(const std::string& kind);

// "main/view, statements 3 | 4: REMARK", as far as a title may be long.
void add_to_title(Input& input, const std::string& remark);

// With a full prefix as setup, only what it did to tables of the requests says for which engines
// the input is, and counts in its shape.
//
// The id is made of the source ("mtr"), the test's name and the input's own text: the same suite
// gives the same ids, whatever else was captured. An input that the format cannot hold is
// `refused`.
struct Made {
  ImportedInput imported;
  std::string refused;
};

Made make_input(const std::string& source, const std::string& test_name, const LoggedTest& test,
                const Candidate& candidate, const Slice& slice,
                const std::vector<std::string>& server_options);

}  // namespace esox
