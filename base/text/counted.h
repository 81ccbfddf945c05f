// SPDX-License-Identifier: Apache-2.0
// "1 row", "2 rows": a count and what is counted.
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

}  // namespace esox
