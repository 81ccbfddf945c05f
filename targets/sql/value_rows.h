// SPDX-License-Identifier: Apache-2.0
// The rows of INSERT ... VALUES (1),(2),(3), as places of its text, so that some can be taken away.
//
// Pure, and safe on any bytes. It is lexical knowledge (statement.h); where it errs, the smaller
// statement fails, and is not taken.
#pragma once

#include <string_view>
#include <vector>

#include "inputs/request_language.h"

namespace esox {

// Parentheses included. Empty if the statement is no INSERT or REPLACE with VALUES.
std::vector<TextSpan> value_rows(std::string_view text);

}  // namespace esox
