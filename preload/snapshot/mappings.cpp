// SPDX-License-Identifier: Apache-2.0
#include "preload/snapshot/mappings.h"

#include "preload/core/proc_text.h"

namespace esox {
namespace {

// "begin-end rwxp offset device inode   path"
Mapping parse(const char* line) {
  Mapping mapping{};
  mapping.begin = take_number(line, 16);
  ++line;
  mapping.end = take_number(line, 16);
  ++line;
  mapping.access =
      (line[0] == 'r' ? Mapping::kMayRead : 0) | (line[1] == 'w' ? Mapping::kMayWrite : 0) |
      (line[2] == 'x' ? Mapping::kMayExecute : 0) | (line[3] == 's' ? Mapping::kIsShared : 0);
  line += 5;
  mapping.offset = take_number(line, 16);
  ++line;
  mapping.device = take_number(line, 16) << 32;
  ++line;
  mapping.device |= take_number(line, 16);
  while (*line == ' ') ++line;
  mapping.inode = take_number(line, 10);
  return mapping;
}

}  // namespace

bool Mappings::read() {
  count_ = 0;
  bool fits = true;
  const bool could = for_each_line("/proc/self/maps", [&](const char* line) {
    if (count_ == kMost) {
      fits = false;
    } else {
      mappings_[count_++] = parse(line);
    }
  });
  return could && fits;
}

}  // namespace esox
