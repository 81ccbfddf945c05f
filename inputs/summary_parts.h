// SPDX-License-Identifier: Apache-2.0
// Which parts of the state are summarised, beside what always is. Said by `summary:` of an input or
// by --summary:
//   auto   all that the input's requests can touch: what is said by leaving it out
//   all    everything
//   basic  nothing beside what always is
//   parts  some of those the language knows, separated by commas; with `touched` among them, of
//   each
//          only what the requests can touch, as `auto` has it
#pragma once

#include <string>
#include <string_view>

#include "inputs/input.h"

namespace esox {

// Why `text` is no choice of parts, in words for its author; empty if it is one.
std::string summary_complaint(const std::string& text, const RequestLanguage& language);

// Whether parts are summarised of what requests can touch only.
bool summarises_what_is_touched(const Input& input);

// Whether `part` of the state is to be summarised for this input, whose choice is a valid one.
bool has_summary_part(const Input& input, std::string_view part);

}  // namespace esox
