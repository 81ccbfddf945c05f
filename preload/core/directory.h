// SPDX-License-Identifier: Apache-2.0
// Listing a folder by raw system calls: no heap, no libc.
#pragma once

#include <fcntl.h>

#include "preload/core/raw.h"

namespace esox {

class DirectoryList {
 public:
  explicit DirectoryList(const char* path)
      : fd_(raw::call(SYS_openat, AT_FDCWD, raw::address(path),
                      O_RDONLY | O_DIRECTORY | O_CLOEXEC)) {}
  ~DirectoryList() {
    if (fd_ >= 0) raw::call(SYS_close, fd_);
  }
  DirectoryList(const DirectoryList&) = delete;
  DirectoryList& operator=(const DirectoryList&) = delete;

  bool opened() const { return fd_ >= 0; }
  int fd() const { return static_cast<int>(fd_); }

  // The next name, "." and ".." included; null at the end. Valid until the next call.
  const char* next() {
    if (at_ >= size_) {
      size_ = raw::call(SYS_getdents64, fd_, raw::address(buffer_), sizeof buffer_);
      at_ = 0;
      if (size_ <= 0) return nullptr;
    }
    const auto* entry = reinterpret_cast<const Entry*>(buffer_ + at_);
    at_ += entry->length;
    return entry->name;
  }

 private:
  struct Entry {  // struct linux_dirent64
    uint64_t inode;
    int64_t offset;
    uint16_t length;
    uint8_t type;
    char name[1];
  };

  long fd_;
  long size_ = 0;
  long at_ = 0;
  alignas(8) char buffer_[4096] = {};
};

// The leading decimal number of `text`; 0 if there is none.
inline uint32_t parse_number(const char* text) {
  uint32_t value = 0;
  for (; *text >= '0' && *text <= '9'; ++text) {
    value = value * 10 + static_cast<uint32_t>(*text - '0');
  }
  return value;
}

}  // namespace esox
