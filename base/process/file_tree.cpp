// SPDX-License-Identifier: Apache-2.0
#include "base/process/file_tree.h"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <linux/fs.h>
#include <sys/ioctl.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "base/process/server_error.h"
#include "base/process/unique_fd.h"

namespace esox {
namespace {

using std::filesystem::path;

constexpr int kMaxDepth = 32;
constexpr int kOpenFolder = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
constexpr size_t kBlock = 4096;
constexpr off_t kSmall = 65536;  // bytes up to which a file is simply read and written

[[noreturn]] void fail(const char* action, const path& where, int error) {
  const char* remedy = error == ENOSPC || error == EDQUOT
                           ? "; free some space there or set TMPDIR to a roomier folder"
                           : "";
  throw ServerError(
      fmt::format("cannot {} {}: {}{}", action, where.string(), strerror(error), remedy));
}

struct CloseFolder {
  void operator()(DIR* folder) const { closedir(folder); }
};
using Folder = std::unique_ptr<DIR, CloseFolder>;

struct Entry {
  std::string name;
  struct stat status;
};

// The entries of an open folder, sorted by name so that every walk has the same order.
std::vector<Entry> entries_of(int folder_fd, const path& where) {
  const int again = fcntl(folder_fd, F_DUPFD_CLOEXEC, 0);
  if (again < 0) fail("read", where, errno);
  const Folder folder(fdopendir(again));
  if (!folder) {
    const int error = errno;
    ::close(again);
    fail("read", where, error);
  }
  rewinddir(folder.get());
  std::vector<Entry> entries;
  while (const dirent* found = readdir(folder.get())) {
    const std::string name = found->d_name;
    if (name == "." || name == "..") continue;
    Entry entry{name, {}};
    if (fstatat(folder_fd, name.c_str(), &entry.status, AT_SYMLINK_NOFOLLOW) == 0) {
      entries.push_back(std::move(entry));
    } else if (errno != ENOENT) {
      fail("look at", where / name, errno);
    }
  }
  const auto by_name = [](const Entry& a, const Entry& b) { return a.name < b.name; };
  std::ranges::sort(entries, by_name);
  return entries;
}

void check_depth(int depth, const path& where) {
  if (depth > kMaxDepth) fail("go deeper than 32 folders below", where, ELOOP);
}

bool copy_range(int from, int to, off_t first, off_t last) {
  off_t in = first;
  off_t out = first;
  while (in < last) {
    const ssize_t copied = copy_file_range(from, &in, to, &out, static_cast<size_t>(last - in), 0);
    if (copied > 0) continue;
    if (copied == 0) return in >= last || (errno = EIO, false);
    if (errno != EINTR) return false;
  }
  return true;
}

bool write_range(int from, int to, off_t first, off_t last) {
  std::array<char, 65536> buffer;
  while (first < last) {
    const size_t wanted = std::min(buffer.size(), static_cast<size_t>(last - first));
    const ssize_t got = pread(from, buffer.data(), wanted, first);
    if (got <= 0) return got < 0 ? false : (errno = EIO, false);
    for (ssize_t done = 0; done < got;) {
      const ssize_t put =
          pwrite(to, buffer.data() + done, static_cast<size_t>(got - done), first + done);
      if (put < 0) return false;
      done += put;
    }
    first += got;
  }
  return true;
}

// Small files are quicker by read and write; between some file systems copy_file_range is refused.
bool copy_part(int from, int to, off_t first, off_t last) {
  if (last - first <= kSmall) return write_range(from, to, first, last);
  if (copy_range(from, to, first, last)) return true;
  if (errno != EXDEV && errno != EINVAL && errno != ENOSYS && errno != EOPNOTSUPP) return false;
  return write_range(from, to, first, last);
}

bool copy_data(int from, int to, off_t size) {
  if (size <= kSmall) return write_range(from, to, 0, size);
  off_t at = 0;
  while (at < size) {
    const off_t data = lseek(from, at, SEEK_DATA);
    if (data < 0 && errno == ENXIO) break;  // a hole up to the end
    if (data < 0) return copy_part(from, to, at, size) && ftruncate(to, size) == 0;
    const off_t hole = lseek(from, data, SEEK_HOLE);
    const off_t end = hole < 0 ? size : std::min(hole, size);
    if (!copy_part(from, to, data, end)) return false;
    at = end;
  }
  return ftruncate(to, size) == 0;
}

class Copy {
 public:
  void folder(int from, int to, const path& where, int depth) {
    check_depth(depth, where);
    for (const Entry& entry : entries_of(from, where)) {
      if (S_ISDIR(entry.status.st_mode)) {
        subfolder(from, to, entry, where / entry.name, depth);
      } else if (S_ISREG(entry.status.st_mode)) {
        file(from, to, entry, where / entry.name);
      } else {
        fail("copy what is neither file nor folder:", where / entry.name, EINVAL);
      }
    }
  }

 private:
  void subfolder(int from, int to, const Entry& entry, const path& where, int depth) {
    const char* name = entry.name.c_str();
    if (mkdirat(to, name, entry.status.st_mode & 0700) != 0) fail("copy", where, errno);
    const UniqueFd source(openat(from, name, kOpenFolder));
    const UniqueFd target(openat(to, name, kOpenFolder));
    if (!source || !target) fail("copy", where, errno);
    folder(source.get(), target.get(), where, depth + 1);
  }

  void file(int from, int to, const Entry& entry, const path& where) {
    const char* name = entry.name.c_str();
    const UniqueFd source(openat(from, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC));
    if (!source) fail("read", where, errno);
    const int flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
    const UniqueFd target(openat(to, name, flags, entry.status.st_mode & 0700));
    if (!target) fail("copy", where, errno);
    if (shares_blocks_ && entry.status.st_size > 0) {
      if (ioctl(target.get(), FICLONE, source.get()) == 0) return;
      shares_blocks_ = false;  // the file system cannot; no use in asking for every file
    }
    if (!copy_data(source.get(), target.get(), entry.status.st_size)) fail("copy", where, errno);
  }

  bool shares_blocks_ = true;
};

void remove_inside(int folder, dev_t device, const path& where, int depth) {
  check_depth(depth, where);
  for (const Entry& entry : entries_of(folder, where)) {
    const char* name = entry.name.c_str();
    const bool is_folder = S_ISDIR(entry.status.st_mode);
    if (is_folder && entry.status.st_dev != device) {
      fail("remove a file system mounted at", where / entry.name, EBUSY);
    }
    if (is_folder) {
      const UniqueFd inside(openat(folder, name, kOpenFolder));
      if (!inside) fail("remove", where / entry.name, errno);
      remove_inside(inside.get(), device, where / entry.name, depth + 1);
    }
    if (unlinkat(folder, name, is_folder ? AT_REMOVEDIR : 0) != 0 && errno != ENOENT) {
      fail("remove", where / entry.name, errno);
    }
  }
}

bool is_zero(const char* block) {
  static constexpr std::array<char, kBlock> kZeros{};
  return memcmp(block, kZeros.data(), kBlock) == 0;
}

// Punches out the runs of zero blocks of one open file. A punch waits for the file system's
// journal, so short runs are not worth theirs.
void punch_zeros(int fd, off_t size) {
  constexpr off_t kShortestRun = 16 * kBlock;
  std::array<char, kBlock> block;
  off_t run = 0;  // the current run begins here
  for (off_t at = 0; at < size; at += kBlock) {
    const ssize_t got = pread(fd, block.data(), kBlock, at);
    if (got < 0) return;
    const bool zero = got == static_cast<ssize_t>(kBlock) && is_zero(block.data());
    const off_t end = zero ? at + static_cast<off_t>(kBlock) : at;
    const bool over = !zero || end + static_cast<off_t>(kBlock) > size;
    if (over && end - run >= kShortestRun) {
      fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, run, end - run);
    }
    if (!zero) run = at + static_cast<off_t>(kBlock);
  }
}

void visit_files(int folder, const path& where, int depth, const auto& visit) {
  check_depth(depth, where);
  for (const Entry& entry : entries_of(folder, where)) {
    if (S_ISREG(entry.status.st_mode)) visit(folder, entry);
    if (!S_ISDIR(entry.status.st_mode)) continue;
    const UniqueFd inside(openat(folder, entry.name.c_str(), kOpenFolder));
    if (!inside) fail("read", where / entry.name, errno);
    visit_files(inside.get(), where / entry.name, depth + 1, visit);
  }
}

UniqueFd opened_folder(const path& where) {
  UniqueFd folder(open(where.c_str(), kOpenFolder));
  if (!folder) fail("open", where, errno);
  return folder;
}

}  // namespace

void copy_tree(const path& from, const path& to) {
  const UniqueFd source = opened_folder(from);
  if (mkdir(to.c_str(), 0700) != 0) fail("make", to, errno);
  const UniqueFd target = opened_folder(to);
  Copy().folder(source.get(), target.get(), to, 0);
}

void remove_tree(const path& path_to_remove) {
  struct stat status {};
  if (lstat(path_to_remove.c_str(), &status) != 0) {
    if (errno == ENOENT) return;
    fail("remove", path_to_remove, errno);
  }
  const UniqueFd folder = opened_folder(path_to_remove);
  remove_inside(folder.get(), status.st_dev, path_to_remove, 0);
  if (rmdir(path_to_remove.c_str()) != 0) fail("remove", path_to_remove, errno);
}

void make_sparse(const path& where) {
  const UniqueFd folder = opened_folder(where);
  visit_files(folder.get(), where, 0, [](int inside, const Entry& entry) {
    if (entry.status.st_size < kSmall) return;
    const UniqueFd fd(openat(inside, entry.name.c_str(), O_RDWR | O_NOFOLLOW | O_CLOEXEC));
    if (fd) punch_zeros(fd.get(), entry.status.st_size);
  });
}

void write_file(const std::filesystem::path& path, const std::string& text) {
  std::ofstream stream(path, std::ios::binary);
  stream << text;
  stream.close();
  if (!stream) {
    throw ServerError(fmt::format("cannot write {}: {}", path.string(), strerror(errno)));
  }
}

TreeSize tree_size(const path& where) {
  TreeSize size;
  const UniqueFd folder = opened_folder(where);
  visit_files(folder.get(), where, 0, [&size](int, const Entry& entry) {
    ++size.files;
    size.bytes += static_cast<uint64_t>(entry.status.st_size);
  });
  return size;
}

}  // namespace esox
