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

// What stands in which slot, in the text's order; slots of rules are those of the phrase that was
// drawn. Refers to grammar, phrase and text.
using Bindings = std::vector<std::pair<const Piece*, std::string_view>>;

// Nothing: the text is none of the phrase. A name is a word, a value a word or a text in single
// quotes; what is quoted, and lists, may be anything.
std::optional<Bindings> match(const Grammar& grammar, const Phrase& phrase, std::string_view text);

}  // namespace esox
