// SPDX-License-Identifier: Apache-2.0
// Validation by the table of well-formed byte sequences of the Unicode standard (table 3-7): only
// the second byte's range depends on the first; all later ones are 80..BF.
#include "base/text/utf8.h"

namespace esox {
namespace {

struct Sequence {
  size_t length = 0;  // 0: no sequence begins with this byte
  unsigned char second_low = 0x80;
  unsigned char second_high = 0xbf;
};

Sequence sequence_of(unsigned char first) {
  if (first >= 0x01 && first <= 0x7f) return {1};
  if (first >= 0xc2 && first <= 0xdf) return {2};
  if (first == 0xe0) return {3, 0xa0, 0xbf};
  if (first == 0xed) return {3, 0x80, 0x9f};
  if (first >= 0xe1 && first <= 0xef) return {3};
  if (first == 0xf0) return {4, 0x90, 0xbf};
  if (first == 0xf4) return {4, 0x80, 0x8f};
  if (first >= 0xf1 && first <= 0xf3) return {4};
  return {};
}

bool is_well_formed(std::string_view text, const Sequence& sequence) {
  if (sequence.length == 0 || text.size() < sequence.length) return false;
  for (size_t i = 1; i < sequence.length; ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    const unsigned char low = i == 1 ? sequence.second_low : 0x80;
    const unsigned char high = i == 1 ? sequence.second_high : 0xbf;
    if (byte < low || byte > high) return false;
  }
  return true;
}

}  // namespace

size_t find_invalid_utf8(std::string_view text) {
  size_t offset = 0;
  while (offset < text.size()) {
    const Sequence sequence = sequence_of(static_cast<unsigned char>(text[offset]));
    if (!is_well_formed(text.substr(offset), sequence)) return offset;
    offset += sequence.length;
  }
  return std::string_view::npos;
}

}  // namespace esox
