// SPDX-License-Identifier: Apache-2.0
// Writing one line into a fixed buffer, without stdio or the heap.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace esox {

// The parts of `text` before and after position `at`. As string_view::substr, but without its
// exception (and so without libstdc++.so); an `at` beyond the end, npos too, gives all and nothing.
constexpr std::string_view text_before(std::string_view text, size_t at) {
  return {text.data(), at < text.size() ? at : text.size()};
}
constexpr std::string_view text_after(std::string_view text, size_t at) {
  if (at >= text.size()) return {};
  return {text.data() + at + 1, text.size() - at - 1};
}

// The buffer always ends in NUL (unless its size is 0); what does not fit is dropped.
class LineWriter {
 public:
  LineWriter(char* buffer, size_t size) : buffer_(buffer), size_(size) {
    if (size_ > 0) buffer_[0] = '\0';
  }

  LineWriter& text(std::string_view text) {
    for (const char c : text) put(c);
    return *this;
  }

  // What a user wrote: shortened, and without anything that would break the line.
  LineWriter& quoted(std::string_view user_text) {
    put('\'');
    for (const char c : text_before(user_text, kMaxQuoted)) put(c < ' ' || c == '\x7f' ? '?' : c);
    if (user_text.size() > kMaxQuoted) text("...");
    put('\'');
    return *this;
  }

  LineWriter& number(uint64_t value, int least_digits = 1) {
    char digits[20];
    int count = 0;
    for (; value != 0 || count < least_digits; value /= 10) {
      digits[count++] = static_cast<char>('0' + value % 10);
    }
    while (count > 0) put(digits[--count]);
    return *this;
  }

  size_t length() const { return length_; }
  bool complete() const { return complete_; }

 private:
  static constexpr size_t kMaxQuoted = 40;

  void put(char c) {
    if (length_ + 1 >= size_) {
      complete_ = false;
      return;
    }
    buffer_[length_++] = c;
    buffer_[length_] = '\0';
  }

  char* buffer_;
  size_t size_;
  size_t length_ = 0;
  bool complete_ = true;
};

}  // namespace esox
