// SPDX-License-Identifier: Apache-2.0
// Pair generation: a list of statement shapes becomes one input per pair of shapes.
//
// This is PIKE's way of making inputs (P. Fonseca, Effective testing for concurrency bugs, 2015):
// two clients, one short request each, from a small common state. All unordered pairs are made, a
// shape with itself included, but for pairs in which nobody writes: two readers can only disagree
// through a writer. (They are shipped apart, as negative controls.)
#pragma once

#include <string>
#include <vector>

#include "inputs/input.h"

namespace esox {

struct Shape {
  std::string name;  // lower case letters, digits and single '-': part of the pair's id
  std::string sql;
  bool writes = false;             // data, definitions or a table's files
  bool ordered = false;            // as Request::ordered
  std::vector<std::string> setup;  // its own, after the common one; may be empty
  std::string origin;              // "file.yaml:12"
};

// What it has of an input, all its pairs have. Its id is the first part of every pair's id, "pairs"
// by default.
struct PairGenerator : Input {
  std::vector<Shape> shapes;  // names unique
};

// How many inputs `expand` makes, and a bound of the memory their texts take.
size_t pair_count(const PairGenerator& generator);
size_t pair_text_bytes(const PairGenerator& generator);

// The pairs, sorted by id. The id of a pair is "ID/a--b" with a <= b by name, so it stays the same
// when shapes are added, removed or moved. Client A sends the first, client B the second. The setup
// is the common one, then A's, then what B's adds to it. Cannot fail.
std::vector<Input> expand(const PairGenerator& generator);

}  // namespace esox
