// SPDX-License-Identifier: Apache-2.0
// The keys of a rule's scope, read and checked: a scope in which nothing can ever be is an error.
#pragma once

#include <string>

#include "base/yaml/fields.h"
#include "filters/rule.h"
#include "inputs/request_language.h"

namespace esox {

// Throws InputError.
Scope read_scope(const Fields& fields, const RequestLanguage& language);

// The texts behind `key`, a list or a single text; empty if absent.
std::vector<std::string> texts_at(const Fields& fields, std::string_view key);

// The regular expression behind `key`; none if absent.
std::optional<Pattern> pattern_at(const Fields& fields, std::string_view key);

}  // namespace esox
