// SPDX-License-Identifier: Apache-2.0
#include "preload/snapshot/shared_files.h"

#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>

#include <cstdint>

#include "preload/core/proc_text.h"
#include "preload/core/raw.h"

namespace esox {
namespace {

constexpr uint64_t kPage = 4096;
constexpr uint32_t kMaxFiles = 16;
constexpr uint32_t kMaxPathBytes = 512;

struct SharedFile {
  uint64_t begin;
  uint64_t end;
  uint64_t offset;
  long access;  // PROT_...
  char path[kMaxPathBytes];
};

// "begin-end rw-s offset device inode   /path"; false for all others.
bool parse(const char* line, SharedFile& file) {
  file.begin = take_number(line, 16);
  file.end = take_number(++line, 16);
  ++line;
  if (line[1] != 'w' || line[3] != 's') return false;
  file.access = (line[0] == 'r' ? PROT_READ : 0) | PROT_WRITE | (line[2] == 'x' ? PROT_EXEC : 0);
  line += 5;
  file.offset = take_number(line, 16);
  const char* path = strchr(line, '/');
  const size_t bytes = path == nullptr ? 0 : strlen(path) + 1;
  if (bytes == 0 || bytes > kMaxPathBytes) return false;
  memcpy(file.path, path, bytes);
  return strncmp(path, "/memfd:", 7) != 0 && strncmp(path, "/dev/", 5) != 0;
}

void own(const SharedFile& file) {
  const long fd =
      raw::call(SYS_openat, AT_FDCWD, raw::address(&file.path[0]), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return;
  const long mapped =
      raw::call(SYS_mmap, static_cast<long>(file.begin), static_cast<long>(file.end - file.begin),
                file.access, MAP_PRIVATE | MAP_FIXED, fd, static_cast<long>(file.offset));
  raw::call(SYS_close, fd);
  if (mapped != static_cast<long>(file.begin)) return;
  // A page that was not written to would still follow the file.
  for (uint64_t at = file.begin; at < file.end; at += kPage) {
    volatile char* byte = reinterpret_cast<volatile char*>(at);
    *byte = *byte;
  }
}

}  // namespace

void own_shared_files() {
  static SharedFile files[kMaxFiles];
  uint32_t count = 0;
  for_each_line("/proc/self/maps", [&](const char* line) {
    if (count < kMaxFiles && parse(line, files[count])) ++count;
  });
  for (uint32_t i = 0; i < count; ++i) own(files[i]);
}

}  // namespace esox
