// SPDX-License-Identifier: Apache-2.0
// Is one list contained in another: as a part of its sequence, or as a multiset?
#pragma once

#include <algorithm>
#include <vector>

#include "filters/rule.h"

namespace esox {

template <class T>
bool is_contained(std::vector<T> part, std::vector<T> whole, bool ordered) {
  if (!ordered) {
    std::sort(part.begin(), part.end());
    std::sort(whole.begin(), whole.end());
    return std::includes(whole.begin(), whole.end(), part.begin(), part.end());
  }
  auto at = whole.begin();
  for (const T& one : part) {
    at = std::find(at, whole.end(), one);
    if (at == whole.end()) return false;
    ++at;
  }
  return true;
}

template <class T>
bool is_contained(const std::vector<T>& concurrent, const std::vector<T>& serial, bool ordered,
                  Direction direction) {
  const bool lacks = direction != Direction::kHoldsSerial;
  const bool holds = direction != Direction::kInSerial;
  return (lacks && is_contained(concurrent, serial, ordered)) ||
         (holds && is_contained(serial, concurrent, ordered));
}

}  // namespace esox
