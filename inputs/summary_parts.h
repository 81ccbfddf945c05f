// SPDX-License-Identifier: Apache-2.0
// Which parts of the state are summarised, beside what always is (tables, definitions, rows, checks
// and the observations). Said by `summary:` of an input or by --summary:
//   auto   all that the input's statements can touch: what is said by leaving it out; of the tables
//          that they do not touch, definitions and rows
//   all    everything
//   basic  nothing beside what always is
//   parts  some of kSummaryParts, separated by commas
#pragma once

#include <array>
#include <string>
#include <string_view>

#include "inputs/input.h"

namespace esox {

inline constexpr std::array<std::string_view, 8> kSummaryParts = {
    "indexes", "answers", "binlog", "leftovers", "transactions", "key-blocks", "programs", "files"};

// Why `text` is no choice of parts, in words for its author; empty if it is one.
std::string summary_complaint(const std::string& text);

// Whether the choice is `auto`.
bool summarises_what_is_touched(const Input& input);

// Whether `part` of the state is to be summarised for this input, whose choice is a valid one.
bool has_summary_part(const Input& input, std::string_view part);

}  // namespace esox
