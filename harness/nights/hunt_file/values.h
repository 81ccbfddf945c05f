// SPDX-License-Identifier: Apache-2.0
// Checked values of a hunt file beyond those that inputs have: shares, durations, sizes.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>

#include "base/yaml/fields.h"

namespace esox {

inline constexpr double kLargestShare = 1000;

// "512M", "20G", "1T", "900K" or bytes; 1K is 1024 bytes. Nothing if it is not such a size, or 0.
std::optional<uint64_t> parse_size(std::string_view text);

// All throw InputError with the line of `node`.
double share_of(const Fields& fields, const Node& node, std::string_view key);
std::chrono::milliseconds duration_of(const Fields& fields, const Node& node, std::string_view key);
// "0" besides, for none.
std::chrono::milliseconds duration_or_none_of(const Fields& fields, const Node& node,
                                              std::string_view key);
uint64_t size_of(const Fields& fields, const Node& node, std::string_view key);

// What `read`, one of these or of Fields, makes of a key that may be absent.
template <class T, class Read, class... More>
void take(const Fields& fields, std::string_view key, T& into, const Read& read,
          const More&... more) {
  if (const Node* node = fields.find(key)) {
    into = static_cast<T>(std::invoke(read, fields, *node, key, more...));
  }
}

}  // namespace esox
