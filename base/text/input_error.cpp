// SPDX-License-Identifier: Apache-2.0
// Building the one line of an InputError.
#include "base/text/input_error.h"

#include <fmt/format.h>

#include <utility>

namespace esox {
namespace {

constexpr size_t kQuotedBytes = 60;

bool is_control(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte < 0x20 || byte == 0x7f;
}

std::string escape_controls(std::string_view text) {
  std::string escaped;
  escaped.reserve(text.size());
  for (const char c : text) {
    if (c == '\n') {
      escaped += "\\n";
    } else if (c == '\t') {
      escaped += "\\t";
    } else if (is_control(c)) {
      escaped += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
    } else {
      escaped += c;
    }
  }
  return escaped;
}

std::string_view shorten(std::string_view text) {
  if (text.size() <= kQuotedBytes) return text;
  size_t length = kQuotedBytes;
  while (length > 0 && (static_cast<unsigned char>(text[length]) & 0xc0) == 0x80) --length;
  return text.substr(0, length);
}

std::string one_line(const std::string& file, int line, std::string_view message) {
  const std::string text = escape_controls(message);
  if (file.empty()) return text;
  const std::string name = escape_controls(file);
  return line > 0 ? fmt::format("{}:{}: {}", name, line, text) : fmt::format("{}: {}", name, text);
}

}  // namespace

InputError::InputError(std::string file, int line, std::string_view message)
    : std::runtime_error(one_line(file, line, message)),
      file_(std::move(file)),
      line_(line),
      message_(escape_controls(message)) {}

std::string in_quotes(std::string_view text) {
  const std::string_view head = shorten(text);
  return fmt::format("'{}{}'", escape_controls(head), head.size() < text.size() ? "..." : "");
}

}  // namespace esox
