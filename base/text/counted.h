// SPDX-License-Identifier: Apache-2.0
// "1 row", "2 rows": a count and what is counted; "2nd".
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace esox {

// `many` is the plural where it is not that of `one` with an s.
inline std::string counted(uint64_t count, std::string_view one, std::string_view many = {}) {
  std::string text = std::to_string(count) + ' ';
  if (count == 1 || many.empty()) {
    text += one;
    if (count != 1) text += 's';
  } else {
    text += many;
  }
  return text;
}

// "1st", "12th"
inline std::string ordinal(uint64_t number) {
  const uint64_t last = number % 100 / 10 == 1 ? 0 : number % 10;
  return std::to_string(number) + (last == 1 ? "st" : last == 2 ? "nd" : last == 3 ? "rd" : "th");
}

}  // namespace esox
