// SPDX-License-Identifier: Apache-2.0
// Checked values of files that speak of requests (base/yaml/fields.h for all others): requests
// themselves, engines, options of the server. All throw InputError with file and line.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/yaml/fields.h"
#include "inputs/request_language.h"

namespace esox {

// A line for people, of up to kMaxTitleBytes.
std::string title_of(const Fields& fields, const Node& node);

// One request: trimmed, not empty, without unknown placeholders, and one that the language lets
// stand in an input. `what`: "'requests'", "'setup'".
std::string request_text(const Fields& fields, const Node& node, std::string_view what,
                         const RequestLanguage& language);
// The list of such behind `key`; empty if absent.
std::vector<std::string> request_texts(const Fields& fields, std::string_view key,
                                       const RequestLanguage& language);

// The list behind "engines", spelt as the server does; empty if absent.
std::vector<std::string> engines_of(const Fields& fields, const RequestLanguage& language);

// The list behind "server_options", each "--name" or "--name=value"; empty if absent.
std::vector<std::string> server_options_of(const Fields& fields, const RequestLanguage& language);

}  // namespace esox
