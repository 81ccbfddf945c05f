// SPDX-License-Identifier: Apache-2.0
// Is this UTF-8? Replies may hold any bytes; what is not valid text must be written another way.
// yaml-cpp would replace it, silently; a statement must reach the server as it was written, so
// files with such bytes are refused.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace esox {

// The length of the valid UTF-8 sequence at `at` (1-4), or 0. Refuses overlong forms, surrogates
// and values above U+10FFFF (the Unicode standard, table 3-7).
inline size_t utf8_length(std::string_view text, size_t at) {
  const auto byte = [&](size_t i) { return static_cast<uint8_t>(text[i]); };
  const uint8_t lead = byte(at);
  if (lead < 0x80) return 1;
  const size_t length = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
  if (lead < 0xc2 || lead > 0xf4 || at + length > text.size()) return 0;
  for (size_t i = at + 1; i < at + length; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return 0;
  }
  const uint8_t second = byte(at + 1);
  if (lead == 0xe0 && second < 0xa0) return 0;
  if (lead == 0xed && second > 0x9f) return 0;
  if (lead == 0xf0 && second < 0x90) return 0;
  if (lead == 0xf4 && second > 0x8f) return 0;
  return length;
}

inline bool is_utf8(std::string_view text) {
  for (size_t i = 0; i < text.size();) {
    const size_t length = utf8_length(text, i);
    if (length == 0) return false;
    i += length;
  }
  return true;
}

// Offset of the first byte that does not belong to valid UTF-8, or npos. NUL, the mark of a UTF-16
// file, is taken for one.
inline size_t find_invalid_utf8(std::string_view text) {
  for (size_t i = 0; i < text.size();) {
    const size_t length = utf8_length(text, i);
    if (length == 0 || text[i] == '\0') return i;
    i += length;
  }
  return std::string_view::npos;
}

}  // namespace esox
