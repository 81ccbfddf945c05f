// SPDX-License-Identifier: Apache-2.0
// Reads a grammar (grammar.h) from YAML. The format: docs/grammars.md.
//
// All or nothing: a checked grammar, or InputError with file, line, what and the remedy. Safe on
// any bytes.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "inputs/generation/grammar.h"
#include "inputs/languages.h"

namespace esox {

// Files that it includes lie beside it.
std::shared_ptr<const Grammar> read_grammar(const std::filesystem::path& file,
                                            const Languages& languages);

// The same from a text in memory; `file` stands for it in messages, and `included` gives the text
// of a file by the name that `include:` says.
std::shared_ptr<const Grammar> parse_grammar(
    std::string_view yaml, const std::string& file, const Languages& languages,
    const std::function<std::string(const std::string&)>& included);

}  // namespace esox
