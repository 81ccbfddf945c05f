// SPDX-License-Identifier: Apache-2.0
// What a rule of the kind `included` asks: is one list contained in another, as a part of its
// sequence or as a multiset, and is what that has besides harmless?
#pragma once

#include <algorithm>
#include <iterator>
#include <optional>
#include <vector>

#include "filters/rule.h"

namespace esox {

template <class T>
bool is_contained(std::vector<T> part, std::vector<T> whole, bool ordered) {
  if (!ordered) {
    std::ranges::sort(part);
    std::ranges::sort(whole);
    return std::ranges::includes(whole, part);
  }
  auto at = whole.begin();
  for (const T& one : part) {
    at = std::find(at, whole.end(), one);
    if (at == whole.end()) return false;
    ++at;
  }
  return true;
}

// What a list has besides one that is contained in it.
template <class T>
std::vector<T> besides(std::vector<T> whole, std::vector<T> part) {
  std::ranges::sort(part);
  std::ranges::sort(whole);
  std::vector<T> rest;
  std::ranges::set_difference(whole, part, std::back_inserter(rest));
  return rest;
}

// Whether a rule of the kind `included` forgives the difference of the two lists. `text` gives what
// `unless` is looked for in; a text in which that cannot be decided is not forgiven.
template <class T, class Text>
bool is_included(const Rule& rule, const std::vector<T>& concurrent, const std::vector<T>& serial,
                 bool ordered, const Text& text) {
  const auto harmless = [&](const std::vector<T>& rest) {
    return !rule.unless || std::ranges::all_of(rest, [&](const T& one) {
      return rule.unless->found_in(text(one)) == std::optional<bool>(false);
    });
  };
  const bool may_lack = rule.direction != Direction::kHoldsSerial;
  const bool may_hold = rule.direction != Direction::kInSerial;
  return (may_lack && is_contained(concurrent, serial, ordered) &&
          harmless(besides(serial, concurrent))) ||
         (may_hold && is_contained(serial, concurrent, ordered) &&
          harmless(besides(concurrent, serial)));
}

}  // namespace esox
