// SPDX-License-Identifier: Apache-2.0
// Rules that no longer hold. A rule with a date is a loan: when it is over, a hunt does not begin
// until somebody has looked at it again.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "filters/rule.h"

namespace esox {

// "2027-06-30" if it is a date written like that; such texts compare as dates do.
std::optional<std::string> date_of(const std::string& text);

// Those whose last day is before `today`.
std::vector<const Rule*> expired(const RuleSet& rules, const std::string& today);

// Throws InputError that names the first of them and how many there are.
void refuse_expired(const RuleSet& rules, const std::string& today);

}  // namespace esox
