// SPDX-License-Identifier: Apache-2.0
// Durations as people write them: 90s, 2m, 1h30m, 45 (seconds).
#pragma once

#include <chrono>
#include <optional>
#include <string_view>

namespace esox {

// Nothing if it is not a duration, is zero, or exceeds kLongestBudget.
std::optional<std::chrono::milliseconds> parse_duration(std::string_view text);

inline constexpr std::chrono::hours kLongestBudget{24 * 365};

}  // namespace esox
