// SPDX-License-Identifier: Apache-2.0
#include "preload/interpose/file_numbers.h"

#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/sysmacros.h>

#include "preload/core/control.h"
#include "preload/core/dense_table.h"
#include "preload/core/internal_lock.h"

namespace esox {
namespace {

constexpr uint32_t kPlaces = 4096;
constexpr unsigned kDeviceMajor = 0, kDeviceMinor = 42;  // as of a file system without a disk
constexpr int64_t kBlockBytes = 4096;
constexpr int64_t kUnitBytes = 512;  // of st_blocks

// Guarded by g_hook_locks.files. A file of the kernel, and the number that it is shown with.
struct File {
  uint64_t object;  // of_kernel()
  uint64_t number;  // 0: it was removed
};
struct Number {
  uint64_t object;  // the number
  uint64_t file;    // 0: free again
};
constinit DenseTable<File, kPlaces> g_files;
constinit DenseTable<Number, kPlaces> g_numbers;
constinit bool g_execution_began = false;

uint64_t mixed(uint64_t device, uint64_t inode) {
  const uint64_t hash = (inode ^ (device * 0x9e3779b97f4a7c15u)) * 0xbf58476d1ce4e5b9u;
  return (hash ^ (hash >> 31)) | 1;
}

// A hash of a file's name that does not depend on how its folder is written: FNV-1a of its parts
// below the private folder.
class Name {
 public:
  void add(const char* path) {
    if (*path == '/') path = below_root(path);
    for (; *path != '\0'; ++path) {
      if (*path == '/') {
        enter();
      } else if (!begins_ || path[0] != '.' || (path[1] != '/' && path[1] != '\0')) {
        add(*path);
      }
    }
  }
  // What comes next is a part of its own.
  void enter() { begins_ = true; }
  // Odd, and positive as a signed number, for some programs print it so.
  uint64_t number() const { return hash_ >> 1 | 1; }

 private:
  static constexpr uint64_t kEmpty = 0xcbf29ce484222325u;

  const char* below_root(const char* path) {
    const char* root = block().root;
    size_t n = 0;
    while (root[n] != '\0' && path[n] == root[n]) ++n;
    if (n > 0 && root[n] == '\0' && (path[n] == '/' || path[n] == '\0')) return path + n;
    mix('/');
    return path;
  }
  void add(char byte) {
    if (begins_ && hash_ != kEmpty) mix('/');
    begins_ = false;
    mix(byte);
  }
  void mix(char byte) { hash_ = (hash_ ^ static_cast<uint8_t>(byte)) * 0x100000001b3u; }

  uint64_t hash_ = kEmpty;
  bool begins_ = true;
};

void add_descriptor(Name& name, int fd) {
  char link[32] = "/proc/self/fd/";
  char digits[12];
  int count = 0;
  for (int rest = fd; count == 0 || rest > 0; rest /= 10) {
    digits[count++] = static_cast<char>('0' + rest % 10);
  }
  char* end = link + sizeof "/proc/self/fd/" - 1;
  while (count > 0) *end++ = digits[--count];
  char path[PATH_MAX];
  const long size = fd < 0 ? -1
                           : raw::call(SYS_readlinkat, AT_FDCWD, raw::address(link),
                                       raw::address(path), sizeof path - 1);
  path[size < 0 ? 0 : size] = '\0';
  // What has no name lies in the kernel ("pipe:[1234]"): its number there is nobody's business.
  name.add(path[0] == '/' ? path : link);
}

void add_path(Name& name, int at, const char* path) {
  if (path == nullptr || *path == '\0') return add_descriptor(name, at);
  if (*path != '/' && at != AT_FDCWD) {
    add_descriptor(name, at);
    name.enter();
  }
  name.add(path);
}

uint64_t free_number(uint64_t wanted) {
  while (true) {
    const Number* number = g_numbers.find(wanted);
    if (number == nullptr || number->file == 0) return wanted;
    wanted += 2;
  }
}

// With the lock. 0: there is no room.
uint64_t number_of(uint64_t key, const Name& name) {
  File* file = g_files.find_or_add(key);
  if (file == nullptr) return 0;
  if (file->number != 0) return file->number;
  const uint64_t shown = free_number(name.number());
  Number* number = g_numbers.find_or_add(shown);
  if (number == nullptr) return 0;
  number->file = key;
  return file->number = shown;
}

// With the lock. 0: it was not seen yet.
uint64_t known_number(uint64_t key) {
  if (execution_running() && !g_execution_began) {
    g_execution_began = true;
    g_files.clear();
    g_numbers.clear();
  }
  const File* file = g_files.find(key);
  return file == nullptr ? 0 : file->number;
}

// `spell` adds the file's name to a Name; not asked of a file that is known. A signal handler that
// interrupted one of us gets what needs no lock.
uint64_t shown_number(uint64_t device, uint64_t inode, auto spell) {
  const uint64_t key = mixed(device, inode);
  Name name;
  if (t_inside != 0) {
    spell(name);
    return name.number();
  }
  g_hook_locks.files.acquire();
  uint64_t shown = known_number(key);
  if (shown == 0) {
    spell(name);
    shown = number_of(key, name);
  }
  g_hook_locks.files.release();
  if (shown != 0) return shown;
  if (self() != nullptr) mark_degraded(kDegradedTableFull);
  return name.number();
}

int64_t blocks_of(int64_t bytes) {
  return (bytes + kBlockBytes - 1) / kBlockBytes * (kBlockBytes / kUnitBytes);
}

// Or the folder of shared memory; what lies in that may be the server's data.
bool is_device(const char* path) {
  return path != nullptr && strncmp(path, "/dev/", 5) == 0 && strncmp(path, "/dev/shm/", 9) != 0;
}

void show(struct stat& status, auto spell) {
  if (!attended()) return;
  status.st_ino = shown_number(status.st_dev, status.st_ino, spell);
  status.st_dev = makedev(kDeviceMajor, kDeviceMinor);
  if (S_ISDIR(status.st_mode)) {
    status.st_nlink = 1;
    status.st_size = kBlockBytes;
  }
  status.st_blksize = kBlockBytes;
  status.st_blocks = blocks_of(status.st_size);
}

}  // namespace

void show_numbers(struct stat& status, int at, const char* path) {
  if (is_device(path)) return;
  show(status, [&](Name& name) { add_path(name, at, path); });
}

void show_numbers(struct stat& status, int fd) {
  show(status, [&](Name& name) { add_descriptor(name, fd); });
}

void show_numbers(struct statx& status, int at, const char* path) {
  if (!attended() || is_device(path)) return;
  status.stx_ino = shown_number(makedev(status.stx_dev_major, status.stx_dev_minor), status.stx_ino,
                                [&](Name& name) { add_path(name, at, path); });
  status.stx_dev_major = kDeviceMajor;
  status.stx_dev_minor = kDeviceMinor;
  if (S_ISDIR(status.stx_mode)) {
    status.stx_nlink = 1;
    status.stx_size = kBlockBytes;
  }
  status.stx_blksize = kBlockBytes;
  status.stx_blocks = static_cast<uint64_t>(blocks_of(static_cast<int64_t>(status.stx_size)));
  status.stx_attributes = status.stx_attributes_mask = 0;
  status.stx_mnt_id = 0;
  status.stx_mask &= STATX_BASIC_STATS;
}

void show_numbers(dirent64& entry, int folder) {
  if (!attended()) return;
  struct stat status {};
  if (raw::call(SYS_fstat, folder, raw::address(&status)) != 0) return;
  entry.d_ino = shown_number(status.st_dev, entry.d_ino, [&](Name& name) {
    add_descriptor(name, folder);
    name.enter();
    name.add(entry.d_name);
  });
}

Removal::Removal(int at, const char* path) {
  struct stat status {};
  if (!attended() || path == nullptr ||
      raw::call(SYS_newfstatat, at, raw::address(path), raw::address(&status),
                AT_SYMLINK_NOFOLLOW) != 0) {
    return;
  }
  if (status.st_nlink <= 1 || S_ISDIR(status.st_mode)) file_ = mixed(status.st_dev, status.st_ino);
}

void Removal::done(bool removed) const {
  if (!removed || file_ == 0) return;
  g_hook_locks.files.acquire();
  if (File* file = g_files.find(file_); file != nullptr && file->number != 0) {
    if (Number* number = g_numbers.find(file->number)) number->file = 0;
    file->number = 0;
  }
  g_hook_locks.files.release();
}

}  // namespace esox
