// SPDX-License-Identifier: Apache-2.0
// Storage engines, and an input made concrete for one of them: ${engine} is the only placeholder,
// and stands in statements and server options alike.
//
// All functions are pure. Errors: InputError; without a file where the name came from elsewhere
// (the command line).
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "inputs/input.h"

namespace esox {

inline constexpr std::string_view kEnginePlaceholder = "${engine}";

// The engine's name as the server spells it ("innodb" -> "InnoDB"), or nullopt if it knows none.
std::optional<std::string> known_engine(const RequestLanguage& language, std::string_view name);

// "unknown engine 'inodb'; did you mean 'InnoDB'?"
std::string unknown_engine_message(const RequestLanguage& language, std::string_view name);

// Names as a user gave them (--engine), spelt that way, without repetitions, in the order given.
// Throws InputError for a name that is not known.
std::vector<std::string> canonical_engines(const RequestLanguage& language,
                                           const std::vector<std::string>& names);

bool has_engine_placeholder(std::string_view text);
bool has_engine_placeholder(const Input& input);

// An engine without transactions that tables of the input are of, by its own words, though it names
// an isolation level; empty: none.
std::string engine_against_level(const Input& input);

// The input once per engine, in the order of `engines` (any spelling). Empty `engines`: the input's
// own list, or else what its server tries by default. The input's own list restricts: engines not
// on it are left out, and where it names an isolation level those without transactions, so the
// result may be empty. Without a placeholder: one instance with an empty engine.
std::vector<ConcreteInput> instantiate(const Input& input, const std::vector<std::string>& engines);

}  // namespace esox
