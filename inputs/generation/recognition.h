// SPDX-License-Identifier: Apache-2.0
// Which production a request's text is of, and what stands in its slots: by the text alone, so that
// an input read from a file is known as well as one made just now.
#pragma once

#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "inputs/generation/grammar.h"

namespace esox {

// What stands in which slot, in the phrase's order. Refers to phrase and text.
using Bindings = std::vector<std::pair<const Piece*, std::string_view>>;

// Slots of names stand for a word, all others for any text. Nothing: it is none of the phrase.
std::optional<Bindings> match(const Phrase& phrase, std::string_view text);

// How many bytes of the phrase are no slots: the more of them, the surer a match.
size_t literal_bytes(const Phrase& phrase);

}  // namespace esox
