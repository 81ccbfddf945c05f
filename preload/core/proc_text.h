// SPDX-License-Identifier: Apache-2.0
// Reading the text files of /proc by raw system calls: no heap, no libc.
#pragma once

#include <fcntl.h>
#include <string.h>

#include <cstdint>

#include "preload/core/raw.h"

namespace esox {

// The number that `at` points to; moves `at` behind it. 0 if there is none.
inline uint64_t take_number(const char*& at, unsigned base) {
  uint64_t value = 0;
  for (;; ++at) {
    unsigned digit;
    if (*at >= '0' && *at <= '9') {
      digit = static_cast<unsigned>(*at - '0');
    } else if (base == 16 && *at >= 'a' && *at <= 'f') {
      digit = static_cast<unsigned>(*at - 'a') + 10;
    } else {
      return value;
    }
    value = value * base + digit;
  }
}

// Calls take(line) for every line of the file. False if it cannot be read.
bool for_each_line(const char* path, auto take) {
  const long fd = raw::call(SYS_openat, AT_FDCWD, raw::address(path), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return false;
  char text[8192];
  long kept = 0;
  for (long got; (got = raw::call(SYS_read, fd, raw::address(text + kept),
                                  static_cast<long>(sizeof text) - 1 - kept)) > 0;) {
    kept += got;
    text[kept] = '\0';
    char* line = text;
    for (char* end; (end = strchr(line, '\n')) != nullptr; line = end + 1) {
      *end = '\0';
      take(line);
    }
    kept = text + kept - line;
    memmove(text, line, static_cast<size_t>(kept));
    if (kept == static_cast<long>(sizeof text) - 1) break;  // no line is so long
  }
  raw::call(SYS_close, fd);
  return true;
}

}  // namespace esox
