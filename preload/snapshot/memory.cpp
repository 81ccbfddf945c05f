// SPDX-License-Identifier: Apache-2.0
#include "preload/snapshot/memory.h"

#include <fcntl.h>
#include <string.h>
#include <sys/prctl.h>

#include "preload/scheduler/raw.h"

namespace esox {
namespace {

constexpr uint64_t kHugePage = uint64_t{1} << 21;
constexpr long kCollapse = 25;  // MADV_COLLAPSE; older headers lack it

struct Mapping {
  uint64_t begin;
  uint64_t end;
  bool writable_memory;  // private, of no file
  bool code;
};

uint64_t hexadecimal(const char*& at) {
  uint64_t value = 0;
  for (;; ++at) {
    if (*at >= '0' && *at <= '9') {
      value = value * 16 + static_cast<uint64_t>(*at - '0');
    } else if (*at >= 'a' && *at <= 'f') {
      value = value * 16 + static_cast<uint64_t>(*at - 'a') + 10;
    } else {
      return value;
    }
  }
}

// "begin-end rwxp offset device inode   path"
Mapping parse(const char* line) {
  Mapping mapping{};
  mapping.begin = hexadecimal(line);
  ++line;
  mapping.end = hexadecimal(line);
  const char* access = line + 1;
  const bool file = strchr(line, '/') != nullptr;
  mapping.writable_memory = !file && access[1] == 'w' && access[3] == 'p';
  mapping.code = file && access[2] == 'x';
  return mapping;
}

// Range by range: one that cannot be collapsed (nothing in it yet) must not keep the others back.
void collapse(const Mapping& mapping) {
  const uint64_t first = (mapping.begin + kHugePage - 1) & ~(kHugePage - 1);
  for (uint64_t at = first; at + kHugePage <= mapping.end; at += kHugePage) {
    raw::call(SYS_madvise, static_cast<long>(at), static_cast<long>(kHugePage), kCollapse);
  }
}

// Beyond this a range is address space set aside, not memory in use.
constexpr uint64_t kLargest = uint64_t{1} << 32;

}  // namespace

void use_huge_pages() {
  raw::call(SYS_prctl, PR_SET_THP_DISABLE, 0);
  const long fd =
      raw::call(SYS_openat, AT_FDCWD, raw::address("/proc/self/maps"), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return;
  char text[8192];
  long kept = 0;
  for (long got; (got = raw::call(SYS_read, fd, raw::address(text + kept),
                                  static_cast<long>(sizeof text) - 1 - kept)) > 0;) {
    kept += got;
    text[kept] = '\0';
    char* line = text;
    for (char* end; (end = strchr(line, '\n')) != nullptr; line = end + 1) {
      *end = '\0';
      const Mapping mapping = parse(line);
      if (mapping.end - mapping.begin > kLargest) continue;
      if (mapping.writable_memory || mapping.code) collapse(mapping);
    }
    kept = text + kept - line;
    memmove(text, line, static_cast<size_t>(kept));
    if (kept == static_cast<long>(sizeof text) - 1) break;  // no line is so long
  }
  raw::call(SYS_close, fd);
}

}  // namespace esox
