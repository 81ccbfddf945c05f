// SPDX-License-Identifier: Apache-2.0
// The parts of MariaDB's state that an input may choose (inputs/summary_parts.h), beside tables,
// definitions, rows, checks and the observations, which are always summarised; of tables that the
// input does not touch, definitions and rows are.
#pragma once

#include <string_view>

#include "inputs/input.h"

namespace esox {

inline constexpr std::string_view kMysqldParts[] = {
    "indexes",    "answers",  "binlog",   "leftovers",  "transactions",
    "key-blocks", "programs", "accounts", "dictionary", "files"};

// Whether the input's statements, or its server's options, can touch the part.
bool can_touch_part(const Input& input, std::string_view part);

}  // namespace esox
