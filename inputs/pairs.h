// SPDX-License-Identifier: Apache-2.0
// Generated inputs: a list of shapes, each what one client sends, becomes one input per pair of
// shapes, or per three of them.
//
// This is PIKE's way of making inputs (P. Fonseca, Effective testing for concurrency bugs, 2015):
// two clients, one short request each, from a small common state. A shape may be several requests,
// a transaction, and the inputs be made for each of several isolation levels. All unordered choices
// are made, with a shape more than once included, but for those in which nobody writes: readers can
// only disagree through a writer. (They are shipped apart, as negative controls.)
#pragma once

#include <string>
#include <vector>

#include "inputs/input.h"

namespace esox {

struct Shape {
  std::string name;  // lower case letters, digits and single '-': part of the input's id
  std::vector<Request> requests;
  bool writes = false;             // data, definitions or a table's files
  std::vector<std::string> setup;  // its own, after the common one; may be empty
  std::string origin;              // "file.yaml:12"
};

// What it has of an input, all its inputs have. Its id is the first part of every id, "pairs" by
// default.
struct Generator : Input {
  size_t clients = 2;                         // 2 or 3
  std::vector<std::string> isolation_levels;  // each input once for each; empty: none is named
  std::vector<Shape> shapes;                  // names unique
};

// How many inputs `expand` makes, and a bound of the memory their texts take.
size_t input_count(const Generator& generator);
size_t text_bytes(const Generator& generator);
// Of the ids that `expand` may make.
size_t longest_id_bytes(const Generator& generator);

// The inputs, sorted by id for each level. The id of a pair is "ID/a--b" with a <= b by name, so it
// stays the same when shapes are added, removed or moved; with levels "ID-LEVEL/a--b". Client A
// sends the first shape, B the second, C the third. The setup is the common one, then A's, then
// what the others' adds to it. Cannot fail.
std::vector<Input> expand(const Generator& generator);

}  // namespace esox
