// SPDX-License-Identifier: Apache-2.0
// Rows and replies as text that is both readable and exact.
//
// The text of a row is the value of an element, and digests are made of it; so it must be
// injective: every cell that is not NULL is quoted and escaped, NULL is a bare word. NULL, '' and
// 'NULL' differ, and so do ('ab', 'c') and ('a', 'bc').
#pragma once

#include <string>
#include <string_view>

#include "summaries/outcome.h"

namespace esox {

// ('1', 'it\'s', NULL); bytes that do not print as \xNN.
std::string render_row(const Row& row);

// 'it\'s\x00': every byte that is no printable letter of ASCII as \xNN.
std::string quoted_bytes(std::string_view bytes);
// a INT, b VARCHAR
std::string render_columns(const ResultSet& result);

// "error 1146 (42S02) Table 'test.t1' doesn't exist"
std::string render_error(const Output& output);

// The whole reply: an error, or per result set its columns, the number of rows, their digest, and
// the rows themselves (the first 1,000). The rows are sorted unless the reply's order counts.
std::string render_reply(const Output& output);

}  // namespace esox
