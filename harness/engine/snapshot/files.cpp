// SPDX-License-Identifier: Apache-2.0
#include "harness/engine/snapshot/files.h"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <linux/falloc.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <vector>

#include "harness/engine/snapshot/refused.h"

namespace esox {
namespace {

using std::filesystem::path;

// Looking at a file is no reading of it that the server would see.
constexpr int kOpenFile = O_NOFOLLOW | O_CLOEXEC | O_NOATIME;
constexpr int kOpenFolder = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
constexpr off_t kBlock = 4096;
constexpr size_t kChunk = 16 * kBlock;

[[noreturn]] void fail(const char* action, const std::string& where) {
  const int error = errno;
  const char* remedy = "";
  if (error == ENOSPC) remedy = "; its children write more than fits into memory";
  if (error == EMFILE) remedy = "; raise the limit of open files (ulimit -n)";
  throw SnapshotRefused(
      fmt::format("cannot {} a server's file {}: {}{}", action, where, strerror(error), remedy));
}

// None if there is no such folder. One that cannot be read must not pass for an empty one.
std::vector<std::string> names_in(int root, const std::string& folder) {
  std::vector<std::string> names;
  const int fd = openat(root, folder.c_str(), kOpenFolder);
  if (fd < 0 && (errno == ENOENT || errno == ENOTDIR)) return names;
  if (fd < 0) fail("list", folder);
  DIR* list = fdopendir(fd);
  if (list == nullptr) {
    ::close(fd);
    fail("list", folder);
  }
  while (const dirent* entry = readdir(list)) {
    const std::string name = entry->d_name;
    if (name != "." && name != "..") names.push_back(name);
  }
  closedir(list);
  std::ranges::sort(names);
  return names;
}

std::string path_in(const std::string& folder, const std::string& name) {
  return folder == "." ? name : folder + "/" + name;
}

void remove(int root, const std::string& where) {
  if (unlinkat(root, where.c_str(), 0) == 0 || errno == ENOENT) return;
  if (errno != EISDIR && errno != EPERM) fail("remove", where);
  for (const std::string& name : names_in(root, where)) remove(root, path_in(where, name));
  if (unlinkat(root, where.c_str(), AT_REMOVEDIR) != 0) fail("remove", where);
}

// The first byte at or behind `at` that is not in a hole; `end` if there is none.
off_t next_data(int fd, off_t at, off_t end) {
  const off_t data = lseek(fd, at, SEEK_DATA);
  if (data >= 0) return std::min(data, end);
  return errno == ENXIO ? end : at;  // a file system without holes: all is data
}

bool is_zero(const char* bytes, size_t size) {
  return size == 0 || (bytes[0] == 0 && memcmp(bytes, bytes + 1, size - 1) == 0);
}

size_t read_block_range(int fd, char* to, size_t size, off_t at) {
  const ssize_t got = pread(fd, to, size, at);
  return got < 0 ? 0 : static_cast<size_t>(got);
}

// Writes the blocks of `wanted` that differ from `found`; both start at `at`. Gives the bytes.
uint64_t write_differing(int to, const char* wanted, const char* found, size_t size, off_t at) {
  uint64_t written = 0;
  for (size_t i = 0; i < size; i += kBlock) {
    const size_t length = std::min(static_cast<size_t>(kBlock), size - i);
    if (memcmp(wanted + i, found + i, length) == 0) continue;
    const off_t where = at + static_cast<off_t>(i);
    // A block of zeros becomes a hole, so that the next comparison need not read it.
    if (!is_zero(wanted + i, length) || fallocate(to, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
                                                  where, static_cast<off_t>(length)) != 0) {
      if (pwrite(to, wanted + i, length, where) != static_cast<ssize_t>(length)) return UINT64_MAX;
    }
    written += length;
  }
  return written;
}

// Makes the contents of `to` those of `from`, `size` bytes long. UINT64_MAX: errno.
uint64_t restore_contents(int from, int to, off_t size) {
  std::array<char, kChunk> wanted;
  std::array<char, kChunk> found;
  uint64_t written = 0;
  for (off_t at = 0; at < size;) {
    at = std::min(next_data(from, at, size), next_data(to, at, size)) & ~(kBlock - 1);
    if (at >= size) break;
    const size_t length = std::min(kChunk, static_cast<size_t>(size - at));
    if (read_block_range(from, wanted.data(), length, at) != length) return UINT64_MAX;
    const size_t got = read_block_range(to, found.data(), length, at);
    memset(found.data() + got, 0, length - got);
    const uint64_t part = write_differing(to, wanted.data(), found.data(), length, at);
    if (part == UINT64_MAX) return part;
    written += part;
    at += static_cast<off_t>(length);
    if (at >= size) break;
    // next_data of a position behind the last data would begin at `at` again.
  }
  return written;
}

bool same_times(const struct stat& a, const struct stat& b) {
  return a.st_mtim.tv_sec == b.st_mtim.tv_sec && a.st_mtim.tv_nsec == b.st_mtim.tv_nsec;
}

}  // namespace

FileCopy::FileCopy(path ours, const FileState& origin) : ours_(std::move(ours)) {
  if (mkdir(ours_.c_str(), 0700) != 0) fail("make", ours_.string());
  root_.reset(open(ours_.c_str(), kOpenFolder));
  if (!root_) fail("open", ours_.string());
  const UniqueFd from(open(origin.folder.c_str(), kOpenFolder));
  if (!from) fail("open", origin.folder.string());
  for (const std::string& name : names_in(from.get(), ".")) restore(name, from.get(), root_.get());
  watch_ = std::make_unique<ChangeWatch>(ours_);
}

FileState FileCopy::state() {
  static std::atomic<uint64_t> last_id{0};
  watch_->collect(&changed_);
  state_id_ = ++last_id;
  return {ours_, changed_, state_id_};
}

void FileCopy::become(const FileState& state) {
  ChangedPaths since;
  watch_->collect(&since);
  if (state.id != state_id_) {
    since.everything |= changed_.everything || state.changed.everything;
    since.paths.insert(changed_.paths.begin(), changed_.paths.end());
    since.paths.insert(state.changed.paths.begin(), state.changed.paths.end());
  }
  changed_.everything = true;  // unless all goes well
  if (!since.paths.empty() || since.everything) restore_all(since, state);
  watch_->collect(nullptr);
  changed_ = state.changed;
  state_id_ = state.id;
}

void FileCopy::restore_all(const ChangedPaths& changes, const FileState& state) {
  const UniqueFd from(open(state.folder.c_str(), kOpenFolder));
  if (!from) fail("open", state.folder.string());
  std::set<std::string> paths = changes.paths;
  if (changes.everything) {
    for (const int root : {from.get(), root_.get()}) {
      for (const std::string& name : names_in(root, ".")) paths.insert(name);
    }
  }
  for (const std::string& one : paths) restore(one, from.get(), root_.get());
}

// One path and, if it is a folder, all below.
void FileCopy::restore(const std::string& where, int from_root, int to_root) {
  const char* name = where.c_str();
  struct stat wanted {};
  if (fstatat(from_root, name, &wanted, AT_SYMLINK_NOFOLLOW) != 0 || S_ISSOCK(wanted.st_mode)) {
    return remove(to_root, where);
  }
  struct stat found {};
  const bool there = fstatat(to_root, name, &found, AT_SYMLINK_NOFOLLOW) == 0;
  if (there && (wanted.st_mode & S_IFMT) != (found.st_mode & S_IFMT)) {
    remove(to_root, where);
    return restore(where, from_root, to_root);
  }
  if (S_ISDIR(wanted.st_mode)) {
    if (!there && mkdirat(to_root, name, wanted.st_mode & 0777) != 0) fail("make", where);
    std::vector<std::string> names = names_in(from_root, where);
    for (const std::string& one : names) restore(path_in(where, one), from_root, to_root);
    for (const std::string& one : names_in(to_root, where)) {
      if (!std::ranges::binary_search(names, one)) remove(to_root, path_in(where, one));
    }
    return;
  }
  if (!S_ISREG(wanted.st_mode)) fail("copy what is neither file nor folder:", where);
  if (wanted.st_nlink > 1) {
    throw SnapshotRefused(fmt::format(
        "the server's file {} has {} names (hard links), of which a copy would make as many files",
        where, wanted.st_nlink));
  }
  const UniqueFd from(openat(from_root, name, O_RDONLY | kOpenFile));
  if (!from) fail("read", where);
  const UniqueFd to(openat(to_root, name, O_RDWR | O_CREAT | kOpenFile, wanted.st_mode & 0777));
  if (!to) fail("write", where);
  if (found.st_size != wanted.st_size && ftruncate(to.get(), wanted.st_size) != 0) {
    fail("resize", where);
  }
  const uint64_t written = restore_contents(from.get(), to.get(), wanted.st_size);
  if (written == UINT64_MAX) fail("write", where);
  if (there && written == 0 && same_times(found, wanted)) return;
  const timespec times[2] = {wanted.st_atim, wanted.st_mtim};
  futimens(to.get(), times);
}

}  // namespace esox
