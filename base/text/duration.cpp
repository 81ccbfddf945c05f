// SPDX-License-Identifier: Apache-2.0
#include "base/text/duration.h"

#include <charconv>
#include <cstdint>

namespace esox {
namespace {

using std::chrono::milliseconds;

// The unit at the front, taken away; units must come in falling order.
std::optional<milliseconds> take_unit(std::string_view& text) {
  const char unit = text.empty() ? 's' : text.front();
  if (!text.empty()) text.remove_prefix(1);
  if (unit == 's') return std::chrono::seconds(1);
  if (unit == 'm') return std::chrono::minutes(1);
  if (unit == 'h') return std::chrono::hours(1);
  return std::nullopt;
}

}  // namespace

std::optional<milliseconds> parse_duration(std::string_view text) {
  milliseconds sum{0};
  milliseconds last_unit = milliseconds::max();
  if (text.empty()) return std::nullopt;
  while (!text.empty()) {
    uint32_t number = 0;
    const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc()) return std::nullopt;
    text.remove_prefix(static_cast<size_t>(stop - text.data()));
    const auto unit = take_unit(text);
    if (!unit || *unit >= last_unit) return std::nullopt;
    last_unit = *unit;
    if (number > kLongestBudget / *unit) return std::nullopt;
    sum += number * *unit;
  }
  if (sum.count() == 0 || sum > kLongestBudget) return std::nullopt;
  return sum;
}

}  // namespace esox
