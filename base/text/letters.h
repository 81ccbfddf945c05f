// SPDX-License-Identifier: Apache-2.0
// Letters and white space, of ASCII alone: capitals and small letters; other bytes stay as they
// are.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>

namespace esox {

constexpr char lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}
constexpr char upper(char c) {
  return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
}

constexpr bool is_space(char c) {
  return c == ' ' || (c >= '\t' && c <= '\r');
}

inline std::string lower(std::string_view text) {
  std::string small(text);
  for (char& c : small) c = lower(c);
  return small;
}
inline std::string upper(std::string_view text) {
  std::string capitals(text);
  for (char& c : capitals) c = upper(c);
  return capitals;
}

inline bool equal_but_for_case(std::string_view a, std::string_view b) {
  return std::ranges::equal(a, b, [](char x, char y) { return lower(x) == lower(y); });
}

}  // namespace esox
