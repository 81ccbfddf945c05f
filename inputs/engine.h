// SPDX-License-Identifier: Apache-2.0
// Storage engines, and an input made concrete for one of them: ${engine} is the only placeholder,
// and stands in statements and server options alike.
//
// All functions are pure. Errors: InputError; without a file where the name came from elsewhere
// (the command line).
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "inputs/input.h"

namespace esox {

inline constexpr std::string_view kEnginePlaceholder = "${engine}";
inline constexpr std::array<std::string_view, 4> kKnownEngines = {"Aria", "MyISAM", "InnoDB",
                                                                  "MEMORY"};
inline constexpr std::array<std::string_view, 3> kDefaultEngines = {"Aria", "MyISAM", "InnoDB"};

// The engine's name as we spell it ("innodb" -> "InnoDB"), or nullopt if it is not a known one.
std::optional<std::string> known_engine(std::string_view name);

// "unknown engine 'inodb'; did you mean 'InnoDB'?"
std::string unknown_engine_message(std::string_view name);

// Names as a user gave them (--engine), spelt our way, without repetitions, in the order given.
// Throws InputError for a name that is not known.
std::vector<std::string> canonical_engines(const std::vector<std::string>& names);

bool has_engine_placeholder(std::string_view text);
bool has_engine_placeholder(const Input& input);

// The input once per engine, in the order of `engines` (any spelling). Empty `engines`: the input's
// own list, or else kDefaultEngines. The input's own list restricts: engines not on it are left
// out, so the result may be empty. Without a placeholder: one instance with an empty engine.
std::vector<ConcreteInput> instantiate(const Input& input, const std::vector<std::string>& engines);

}  // namespace esox
