// SPDX-License-Identifier: Apache-2.0
// The names of an enumeration's values, in the order of the values; and back.
#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string_view>

namespace esox {

// "?": there is no such value (a number from a damaged file).
template <class E, size_t kCount>
constexpr const char* name_in(const char* const (&names)[kCount], E value) {
  const auto at = static_cast<size_t>(value);
  return at < kCount ? names[at] : "?";
}

template <class E, size_t kCount>
constexpr std::optional<E> value_in(const char* const (&names)[kCount], std::string_view name) {
  const auto at = static_cast<size_t>(std::find(names, names + kCount, name) - names);
  return at < kCount ? std::optional(static_cast<E>(at)) : std::nullopt;
}

}  // namespace esox
