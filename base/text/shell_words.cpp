// SPDX-License-Identifier: Apache-2.0
#include "base/text/shell_words.h"

#include <algorithm>
#include <cstring>
#include <stdexcept>

namespace esox {
namespace {

bool plain(char c) {
  const bool alphanumeric =
      (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
  return alphanumeric || std::strchr("_-+./:=,@%", c) != nullptr;
}

}  // namespace

std::string shell_word(const std::string& text) {
  if (text.find('\0') != std::string::npos) throw std::invalid_argument("a NUL in a shell's word");
  if (!text.empty() && std::ranges::all_of(text, plain)) return text;
  std::string word = "'";
  for (const char c : text) {
    if (c == '\'') {
      word += "'\\''";
    } else {
      word += c;
    }
  }
  return word + "'";
}

std::string shell_words(const std::vector<std::string>& words) {
  std::string line;
  for (const std::string& word : words) line += (line.empty() ? "" : " ") + shell_word(word);
  return line;
}

}  // namespace esox
