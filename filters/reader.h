// SPDX-License-Identifier: Apache-2.0
// Files of rules: YAML, described for users in docs/filters.md.
//
// Everything that can be known to be wrong with a rule is an InputError with file and line: besides
// form, a component that does not exist, a rule that can match nothing, and one that hides
// everything.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "filters/known_servers.h"
#include "filters/rule.h"

namespace esox {

inline constexpr size_t kMaxRules = 1000;

// The rules of one file; `file` is for messages. Expired rules are rules (expiry.h).
RuleSet parse_rules(const std::string& yaml, const std::string& file, const KnownServers& servers);

// Of several files, or of texts kept with a finding; names must be unique across them.
RuleSet parse_rules(const std::vector<FilterText>& texts, const KnownServers& servers);
RuleSet read_rules(const std::vector<std::filesystem::path>& files, const KnownServers& servers);

}  // namespace esox
