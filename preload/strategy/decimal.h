// SPDX-License-Identifier: Apache-2.0
// Numbers in the text form of a strategy. Own code because <charconv> for doubles lives in
// libstdc++.so and strtod depends on the locale.
//
// Fractions have at most 15 decimals: then both the digits and the power of ten are exact doubles,
// one division rounds correctly, and every accepted text reads back the same after formatting.
#pragma once

#include <cstdint>
#include <string_view>

#include "preload/strategy/text.h"

namespace esox {

inline constexpr int kMaxDecimals = 15;

// Reads digits only; false if there are none, too many, or anything else.
constexpr bool read_digits(std::string_view text, uint64_t* out) {
  constexpr size_t kMaxDigits = 18;
  if (text.empty() || text.size() > kMaxDigits) return false;
  uint64_t value = 0;
  for (const char c : text) {
    if (c < '0' || c > '9') return false;
    value = value * 10 + static_cast<uint64_t>(c - '0');
  }
  *out = value;
  return true;
}

constexpr uint64_t power_of_ten(int exponent) {
  uint64_t power = 1;
  for (int i = 0; i < exponent; ++i) power *= 10;
  return power;
}

// Reads a number from 0 to 9.999..., such as "0.05", ".05", "1"; false for anything else.
constexpr bool read_fraction(std::string_view text, double* out) {
  const size_t dot = text.find('.');
  const std::string_view ones = text_before(text, dot);
  const std::string_view decimals = text_after(text, dot);
  if (ones.size() > 1 || decimals.size() > kMaxDecimals) return false;
  if (ones.empty() && decimals.empty()) return false;
  uint64_t one = 0;
  uint64_t rest = 0;
  if (!ones.empty() && !read_digits(ones, &one)) return false;
  if (!decimals.empty() && !read_digits(decimals, &rest)) return false;
  const uint64_t scale = power_of_ten(static_cast<int>(decimals.size()));
  *out = static_cast<double>(one * scale + rest) / static_cast<double>(scale);
  return true;
}

// Writes `value`, 0 < value <= 1, with as few decimals as read back the same; at most 15, so that a
// value that came from elsewhere is rounded, though never down to 0.
inline void write_fraction(LineWriter& out, double value) {
  int decimals = 0;
  uint64_t digits = 0;
  for (;; ++decimals) {
    const auto scale = static_cast<double>(power_of_ten(decimals));
    const double scaled = value * scale;
    digits = static_cast<uint64_t>(scaled);
    if (scaled - static_cast<double>(digits) >= 0.5) ++digits;
    if (digits > 0 && static_cast<double>(digits) / scale == value) break;
    if (decimals == kMaxDecimals) break;
  }
  const uint64_t scale = power_of_ten(decimals);
  if (digits == 0) digits = 1;
  out.number(digits / scale);
  if (decimals > 0) out.text(".").number(digits % scale, decimals);
}

}  // namespace esox
