// SPDX-License-Identifier: Apache-2.0
#include "analysis/report/layout.h"

#include <algorithm>
#include <sstream>

namespace esox {
namespace {

bool continues(char c) {
  return (static_cast<unsigned char>(c) & 0xc0) == 0x80;
}

// The byte position of the character number `count`.
size_t byte_of(const std::string& text, size_t count) {
  size_t at = 0;
  while (at < text.size() && count > 0) {
    ++at;
    while (at < text.size() && continues(text[at])) ++at;
    --count;
  }
  return at;
}

}  // namespace

size_t text_width(const std::string& text) {
  size_t width = 0;
  for (char c : text) width += continues(c) ? 0 : 1;
  return width;
}

std::string keep_start(const std::string& text, size_t width) {
  if (text_width(text) <= width) return text;
  if (width <= 3) return text.substr(0, byte_of(text, width));
  return text.substr(0, byte_of(text, width - 3)) + "...";
}

std::string keep_end(const std::string& text, size_t width) {
  const size_t all = text_width(text);
  if (all <= width) return text;
  if (width <= 3) return text.substr(byte_of(text, all - width));
  return "..." + text.substr(byte_of(text, all - width + 3));
}

void show_difference(std::string& a, std::string& b, size_t width) {
  if (a == b || keep_start(a, width) != keep_start(b, width)) return;
  const auto first = std::mismatch(a.begin(), a.end(), b.begin(), b.end()).first;
  auto from = static_cast<size_t>(first - a.begin());
  from -= std::min(from, width / 3);  // some of what both have, to know where one is
  while (from > 0 && continues(a[from])) --from;
  a = "..." + a.substr(from);
  b = "..." + b.substr(from);
}

std::string padded(const std::string& text, size_t width) {
  const size_t used = text_width(text);
  return used >= width ? text : text + std::string(width - used, ' ');
}

std::string wrapped(const std::string& text, size_t width, size_t indent) {
  std::istringstream words(text);
  std::string result;
  std::string line(indent, ' ');
  std::string word;
  while (words >> word) {
    const bool first = line.size() == indent;
    if (!first && text_width(line) + 1 + text_width(word) > width) {
      result += line + '\n';
      line = std::string(indent, ' ') + word;
    } else {
      line += (first ? "" : " ") + word;
    }
  }
  return result + line + '\n';
}

std::string labelled(const std::string& label, const std::string& text, size_t width,
                     size_t indent) {
  std::string block = wrapped(text, width, indent + text_width(label));
  return std::string(indent, ' ') + label + block.substr(indent + text_width(label));
}

}  // namespace esox
