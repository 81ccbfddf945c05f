// SPDX-License-Identifier: Apache-2.0
#include "preload/snapshot/mappings.h"

#include <errno.h>
#include <sys/ioctl.h>

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

// struct procmap_query; Debian's headers may be older than it. Its flags of a mapping are
// Mapping::access.
struct Question {
  uint64_t size = sizeof(Question);
  uint64_t flags = 1u << 4;  // that at the address, or the next
  uint64_t address = 0;
  uint64_t begin = 0, end = 0, access = 0, page_size = 0, offset = 0, inode = 0;
  uint32_t device_major = 0, device_minor = 0;
  uint32_t name_size = 0, build_id_size = 0;
  uint64_t name = 0, build_id = 0;
};
constexpr unsigned long kQuery = _IOWR('f', 17, Question);  // PROCMAP_QUERY

Mapping mapping_in(const Question& answer) {
  Mapping mapping{};
  mapping.begin = answer.begin;
  mapping.end = answer.end;
  mapping.access = static_cast<uint32_t>(answer.access);
  mapping.offset = answer.offset;
  mapping.device = uint64_t{answer.device_major} << 32 | answer.device_minor;
  mapping.inode = answer.inode;
  return mapping;
}

}  // namespace

bool Mappings::read() {
  count_ = 0;
  const long asked = ask();
  if (asked == -ENOENT) return true;
  return asked != -E2BIG && read_text();
}

long Mappings::ask() {
  static constexpr const char* kPath = "/proc/self/maps";
  const long fd = raw::call(SYS_openat, AT_FDCWD, raw::address(kPath), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return fd;
  Question question;
  long error;
  while ((error = raw::call(SYS_ioctl, fd, kQuery, raw::address(&question))) == 0) {
    if (!add(mapping_in(question))) {
      error = -E2BIG;
      break;
    }
    question.address = question.end;
  }
  raw::call(SYS_close, fd);
  return error;
}

bool Mappings::read_text() {
  count_ = 0;
  bool fits = true;
  const bool could = for_each_line("/proc/self/maps", [&](const char* line) {
    const Mapping mapping = parse(line);
    if (mapping.begin < kKernels) fits = add(mapping) && fits;
  });
  return could && fits;
}

bool Mappings::add(const Mapping& mapping) {
  if (count_ == kMost) return false;
  mappings_[count_++] = mapping;
  return true;
}

}  // namespace esox
