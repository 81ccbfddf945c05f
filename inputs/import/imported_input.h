// SPDX-License-Identifier: Apache-2.0
// An input made of a candidate and what must have happened before it, with all that the corpus
// keeps of where it is from.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "inputs/input.h"

namespace esox {

// Requests of a log or of some files that could as well have come from different clients: what an
// input is made of.
struct Candidate {
  enum class Form {
    kPair,          // one request against one
    kOneToMany,     // one against up to three
    kSessions,      // two sessions of up to five requests
    kThree,         // three clients with one request each
    kTransactions,  // two or three clients, each with a whole transaction or a request on its own
  };
  Form form = Form::kPair;
  std::vector<std::vector<size_t>> clients;  // of each: its requests' numbers, ascending
  std::string isolation_level;               // of transactions; else empty
};

// By their numbers.
inline constexpr const char* kFormNames[] = {"pair", "one-to-many", "sessions", "three",
                                             "transactions"};
inline const char* name_of(Candidate::Form form) {
  return kFormNames[static_cast<size_t>(form)];
}

inline constexpr size_t kWindow = 10;  // requests between first and last of a pair
inline constexpr size_t kMostSessionLength = 10;
inline constexpr size_t kMostSetup = 64;  // statements; nine of ten slices have at most ten

struct ImportedInput {
  Input input;
  std::string test;  // "main/view"
  Candidate::Form form = Candidate::Form::kPair;
  std::vector<size_t> statements;  // the members' numbers in the test, from 1
  // [client][request]: as logged, 0 if it succeeded; empty where nobody has run them yet.
  std::vector<std::vector<uint32_t>> errors;
  // The clients in the order of their requests in the log; empty: one after the other, as always
  // with transactions.
  std::vector<uint16_t> log_order;
  // All members came over one connection, under equal settings: together they mean the same there.
  bool one_connection = false;
  bool failing = false;       // a member ended with an error in the test
  bool drops_tables = false;  // a member creates or drops a whole table or database
  bool whole_prefix = false;  // its setup is all that came before, not a slice
  std::string kinds;
  std::string shape;
};

// Its members in the test.
Candidate candidate_of(const ImportedInput& imported);

// Of all that an input says to the server.
uint64_t text_hash(const Input& input);

// "main/view, statements 3 | 4: REMARK", as far as a title may be long.
void add_to_title(Input& input, const std::string& remark);

}  // namespace esox
