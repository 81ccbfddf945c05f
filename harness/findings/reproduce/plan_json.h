// SPDX-License-Identifier: Apache-2.0
// reproduce.json, as reproduce.py reads it (targets/templates/reproduce.py).
//
// Pure.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "analysis/finding.h"
#include "harness/findings/reproduce/holds.h"

namespace esox {

inline constexpr int kPlanFormat = 1;

nlohmann::ordered_json segments_json(const Holds& holds, const Input& input);

// Without segments. `title`: what is wrong, in one line; `options`: of that server, all.
nlohmann::ordered_json plan_json(const Finding& finding, const std::string& title,
                                 const FindingServer& server,
                                 const std::vector<std::string>& options);

// Of the finding's replies. What holding a thread makes fail besides (a victim of a deadlock) is
// another matter, and may be forgiven.
std::set<uint32_t> errors_seen(const Finding& finding);

// "A1", and components as far as their ':', in which the finding differs from serial orders.
std::vector<std::string> parts_that_differ(const Finding& finding);

}  // namespace esox
