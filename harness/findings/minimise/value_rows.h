// SPDX-License-Identifier: Apache-2.0
// The rows of INSERT ... VALUES (1),(2),(3), as places of its text, so that some can be taken away.
// What stands between the rows (commas, comments) goes with them; what follows the last one stays
// (ON DUPLICATE KEY UPDATE ...).
//
// Pure, and safe on any bytes. It is lexical knowledge (inputs/statement.h); where it errs, the
// smaller statement fails, and is not taken.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace esox {

struct TextSpan {
  size_t begin = 0;
  size_t end = 0;
  bool operator==(const TextSpan&) const = default;
};

// Parentheses included. Empty if the statement is no INSERT or REPLACE with VALUES.
std::vector<TextSpan> value_rows(std::string_view text);

// `kept`: indices of `rows`, ascending, one at least.
std::string with_rows(std::string_view text, const std::vector<TextSpan>& rows,
                      const std::vector<size_t>& kept);

}  // namespace esox
