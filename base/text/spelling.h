// SPDX-License-Identifier: Apache-2.0
// "Did you mean ...?": the known name nearest to a misspelt one.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace esox {

// The name of `known` nearest to `word` (case does not count), or empty if none is near: more than
// two edits away, or more than half of the word.
std::string_view nearest_name(std::string_view word, std::span<const std::string_view> known);

// "; did you mean 'x'?" if one is near, else "; known are x, y, z". Ready to end a message.
std::string spelling_hint(std::string_view word, std::span<const std::string_view> known);

}  // namespace esox
