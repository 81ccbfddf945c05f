// SPDX-License-Identifier: Apache-2.0
// A text that is a number from its first byte to its last.
#pragma once

#include <charconv>
#include <optional>
#include <string_view>

namespace esox {

// Nothing if it is none, or larger than the type holds.
// `base`: of whole numbers, if it is not 10.
template <typename Number, typename... Base>
std::optional<Number> number_of(std::string_view text, Base... base) {
  Number value = 0;
  const auto [stop, error] =
      std::from_chars(text.data(), text.data() + text.size(), value, base...);
  if (error != std::errc() || stop != text.data() + text.size()) return {};
  return value;
}

template <typename Number>
bool is_number(std::string_view text) {
  return number_of<Number>(text).has_value();
}

}  // namespace esox
