// SPDX-License-Identifier: Apache-2.0
// The text form of strategies: NAME or NAME:KEY=VALUE[,KEY=VALUE...], for instance `pct:d=3`,
// `random:p=0.05`, `serial`, `replay`. A parameter that is not given has its default
// (strategy_spec.h).
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "preload/protocol/strategy_spec.h"

namespace esox {

// Throws std::invalid_argument: one line that says what is wrong and what would be right.
StrategySpec strategy_from_text(std::string_view text);

// The same of one that draws schedules of its own; nullopt: of none.
std::optional<StrategySpec> exploring_strategy(std::string_view text);

// With all parameters; empty if strategy_from_text could not give `spec`.
std::string strategy_text(const StrategySpec& spec);

}  // namespace esox
