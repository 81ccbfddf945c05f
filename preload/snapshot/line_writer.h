// SPDX-License-Identifier: Apache-2.0
// Writing one line into a fixed buffer, without stdio or the heap.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace esox {

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

  LineWriter& number(uint64_t value) {
    char digits[20];
    int count = 0;
    for (; value != 0 || count == 0; value /= 10) {
      digits[count++] = static_cast<char>('0' + value % 10);
    }
    while (count > 0) put(digits[--count]);
    return *this;
  }

 private:
  void put(char c) {
    if (length_ + 1 >= size_) return;
    buffer_[length_++] = c;
    buffer_[length_] = '\0';
  }

  char* buffer_;
  size_t size_;
  size_t length_ = 0;
};

}  // namespace esox
