// SPDX-License-Identifier: Apache-2.0
// elements.txt: every element in which the state left behind differs from that after each serial
// order, where comparison.txt shows only the first ones of long lists.
//
// Complete as far as components list their elements (component.h: kListedElements, and more for the
// rows of tables); where one has more, its note says how many of how many are listed. An element of
// more than 4096 bytes is cut, with its size and digest. The text ends at kMaxElementsText, which
// it says.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "analysis/verdict.h"

namespace esox {

inline constexpr size_t kMaxElementsText = size_t{32} << 20;

// Empty if the state differs from that of no order, or is not known. `client_names` as in
// order_name.
std::string elements_text(const Verdict& verdict, const std::vector<std::string>& client_names,
                          size_t limit = kMaxElementsText);

}  // namespace esox
