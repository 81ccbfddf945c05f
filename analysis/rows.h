// SPDX-License-Identifier: Apache-2.0
// Rows as values: equality as multiset or sequence, differences, and their text for people.
//
// SQL gives rows in no particular order unless the statement orders them, so rows are multisets
// by default; NULL equals NULL here, since the question is "the same reply?", not SQL's "=".
#pragma once

#include <algorithm>
#include <iterator>
#include <set>
#include <string>
#include <vector>

#include "summaries/outcome.h"

namespace esox {

template <class T>
struct MultisetDifference {
  std::vector<T> missing;  // in the first, not in the second
  std::vector<T> extra;    // in the second, not in the first
  bool empty() const { return missing.empty() && extra.empty(); }
};

template <class T>
MultisetDifference<T> multiset_difference(std::vector<T> first, std::vector<T> second) {
  std::ranges::sort(first);
  std::ranges::sort(second);
  MultisetDifference<T> difference;
  std::ranges::set_difference(first, second, std::back_inserter(difference.missing));
  std::ranges::set_difference(second, first, std::back_inserter(difference.extra));
  return difference;
}

bool same_rows(const std::vector<Row>& first, const std::vector<Row>& second, bool ordered);

// The rows with the cells of these columns replaced by one constant, "(masked)".
std::vector<Row> without_columns(const std::vector<Row>& rows, const std::set<size_t>& columns);

// "10, NULL, 'abc'": printable, one line; long cells are cut and carry their length and a digest.
std::string row_text(const Row& row);

// Any bytes as one printable line: control and invalid bytes as \n, \t, \xNN.
std::string printable(const std::string& bytes);

// The same, cut to at most `limit` bytes of source, with length and digest where it was cut.
std::string printable_cut(const std::string& bytes, size_t limit = 4096);

// "2 rows, 1 warning", "1 affected, Rows matched: 1 ...", "error 1213 (40001): ...". `rows` tells
// of each result.
std::string reply_text(const Output& output, std::string (*rows)(const ResultSet& result));

}  // namespace esox
