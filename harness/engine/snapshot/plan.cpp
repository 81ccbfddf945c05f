// SPDX-License-Identifier: Apache-2.0
#include "harness/engine/snapshot/plan.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/kcmp.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "base/process/proc.h"
#include "harness/engine/snapshot/refused.h"

namespace esox {
namespace {

constexpr std::array<const char*, 5> kStateless = {"/dev/null", "/dev/zero", "/dev/full",
                                                   "/dev/random", "/dev/urandom"};
constexpr const char* kDeleted = " (deleted)";

struct OpenFile {
  int fd = -1;
  std::string link;  // of /proc/PID/fd
  struct stat status {};
  std::vector<std::string> info;  // lines of fdinfo
  uint32_t flags = 0;
  int64_t position = 0;
};

[[noreturn]] void refuse(const OpenFile& file, const std::string& why) {
  throw SnapshotRefused(fmt::format("the server's descriptor {} ({}) {}", file.fd, file.link, why));
}

// The text after `key` in one of the lines; null if there is no such line.
const char* field(const OpenFile& file, std::string_view key) {
  for (const std::string& line : file.info) {
    if (line.starts_with(key)) return line.c_str() + key.size();
  }
  return nullptr;
}

uint64_t number_after(const OpenFile& file, std::string_view key, int base = 10) {
  const char* text = field(file, key);
  return text == nullptr ? 0 : std::strtoull(text, nullptr, base);
}

bool read_open_file(pid_t pid, int fd, OpenFile& file) {
  file.fd = fd;
  const std::string path = fmt::format("/proc/{}/fd/{}", pid, fd);
  std::array<char, PATH_MAX> link;
  const ssize_t length = readlink(path.c_str(), link.data(), link.size());
  if (length < 0 || stat(path.c_str(), &file.status) != 0) return false;
  file.link.assign(link.data(), static_cast<size_t>(length));
  std::ifstream info(fmt::format("/proc/{}/fdinfo/{}", pid, fd));
  if (!info) refuse(file, fmt::format("cannot be looked at: {}", strerror(errno)));
  for (std::string line; std::getline(info, line);) file.info.push_back(line);
  file.flags = static_cast<uint32_t>(number_after(file, "flags:", 8));
  file.position = static_cast<int64_t>(number_after(file, "pos:"));
  return true;
}

std::vector<OpenFile> open_files(pid_t pid) {
  std::vector<OpenFile> files;
  std::error_code error;
  for (const auto& entry :
       std::filesystem::directory_iterator(fmt::format("/proc/{}/fd", pid), error)) {
    OpenFile file;
    if (read_open_file(pid, std::stoi(entry.path().filename().string()), file)) {
      files.push_back(std::move(file));
    }
  }
  if (error) {
    throw SnapshotRefused(
        fmt::format("the server's descriptors cannot be read: {}", error.message()));
  }
  std::ranges::sort(files, {}, &OpenFile::fd);
  return files;
}

DescriptorImage image_of(const OpenFile& file, DescriptorKind kind) {
  DescriptorImage image{};
  image.kind = kind;
  image.fd = file.fd;
  image.flags = file.flags;
  image.offset = file.position;
  return image;
}

void set_path(const OpenFile& file, const std::string& path, DescriptorImage& image) {
  if (path.size() >= sizeof image.path) refuse(file, "has too long a path to be restored");
  path.copy(image.path, sizeof image.path - 1);
}

// "lock:  1: POSIX  ADVISORY  WRITE 1234 fd:01:5678 0 EOF"
void read_lock(const OpenFile& file, DescriptorImage& image) {
  const char* text = field(file, "lock:");
  if (text == nullptr) return;
  const auto locks =
      std::ranges::count_if(file.info, [](const auto& line) { return line.starts_with("lock:"); });
  if (locks > 1) refuse(file, "holds more than one lock, of which a child can be given one");
  std::istringstream words(text);
  std::string number, kind, mandatory, access, owner, where, first, last;
  words >> number >> kind >> mandatory >> access >> owner >> where >> first >> last;
  if (kind != "POSIX" && kind != "OFDLCK" && kind != "FLOCK") refuse(file, "holds a lease");
  // Locks of an open file itself (flock) end with it; the child's new one takes its own, which
  // nobody contests. As a lock by fcntl it would be the wrong kind.
  if (kind != "POSIX") refuse(file, "holds a lock by flock, which a child cannot be given");
  image.lock = access == "WRITE" ? FileLock::kWrite : FileLock::kRead;
  image.lock_start = std::stoll(first);
  image.lock_end = last == "EOF" ? -1 : std::stoll(last);
}

DescriptorImage image_of_file(const OpenFile& file, const std::string& root) {
  const bool own = file.link.starts_with(root + "/") || file.link == root;
  const bool writes = (file.flags & O_ACCMODE) != O_RDONLY;
  if (!own && writes) refuse(file, "is written to and lies outside the server's own folder");
  std::string path = file.link;
  const bool unlinked = S_ISREG(file.status.st_mode) && file.status.st_nlink == 0;
  DescriptorImage image =
      image_of(file, unlinked ? DescriptorKind::kUnlinked : DescriptorKind::kFile);
  if (unlinked) {
    if (path.ends_with(kDeleted)) path.resize(path.size() - strlen(kDeleted));
    path = std::filesystem::path(path).parent_path().string();
  }
  set_path(file, path, image);
  read_lock(file, image);
  return image;
}

// The path at which the unix socket with this inode listens; empty if it does not.
std::string listening_path(uint64_t inode, uint64_t& type) {
  std::ifstream table("/proc/net/unix");
  std::string line;
  std::getline(table, line);
  while (std::getline(table, line)) {
    std::istringstream words(line);
    std::string number, references, protocol, flags, kind, state, path;
    uint64_t one = 0;
    words >> number >> references >> protocol >> flags >> kind >> state >> one >> path;
    constexpr uint64_t kAccepts = 0x10000;
    if (one != inode || (std::stoull(flags, nullptr, 16) & kAccepts) == 0) continue;
    type = std::stoull(kind, nullptr, 16);
    return path;
  }
  return {};
}

DescriptorImage image_of_socket(const OpenFile& file, const PlanRequest& request) {
  const auto passed = request.sockets.find(file.fd);
  if (passed != request.sockets.end()) {
    DescriptorImage image = image_of(file, DescriptorKind::kConnection);
    image.value[0] = passed->second;
    return image;
  }
  DescriptorImage image = image_of(file, DescriptorKind::kListener);
  const std::string path = listening_path(file.status.st_ino, image.value[0]);
  if (path.empty() || path[0] != '/') {
    refuse(file,
           "is a socket of a kind that cannot be restored (only unix sockets that listen at a "
           "path, and the clients' connections)");
  }
  set_path(file, path, image);
  return image;
}

// "(seconds, nanoseconds)"
uint64_t timer_ns(const OpenFile& file, std::string_view key) {
  const char* text = field(file, key);
  uint64_t seconds = 0;
  uint64_t ns = 0;
  if (text == nullptr || sscanf(text, " (%lu, %lu)", &seconds, &ns) != 2) return 0;
  return seconds * 1'000'000'000 + ns;
}

DescriptorImage image_of_timer(const OpenFile& file) {
  DescriptorImage image = image_of(file, DescriptorKind::kTimer);
  image.value[0] = number_after(file, "clockid:");
  image.value[2] = timer_ns(file, "it_value:");
  image.value[3] = timer_ns(file, "it_interval:");
  // A timer that has fired and was not read yet fires at once.
  if (number_after(file, "ticks:") > 0) image.value[2] = 1;
  return image;
}

DescriptorImage image_of_event(const OpenFile& file) {
  DescriptorImage image = image_of(file, DescriptorKind::kEvent);
  image.value[0] = number_after(file, "eventfd-count:", 16);
  image.value[1] = number_after(file, "eventfd-semaphore:");
  return image;
}

// "tfd:        5 events:       19 data:                5 ..."
std::vector<DescriptorImage> members_of(const OpenFile& epoll) {
  std::vector<DescriptorImage> members;
  for (const std::string& line : epoll.info) {
    int member = -1;
    unsigned events = 0;
    uint64_t data = 0;
    if (sscanf(line.c_str(), "tfd: %d events: %x data: %lx", &member, &events, &data) != 3)
      continue;
    DescriptorImage image{};
    image.kind = DescriptorKind::kEpollMember;
    image.fd = member;
    image.value[0] = static_cast<uint64_t>(epoll.fd);
    image.value[1] = events;
    image.value[2] = data;
    members.push_back(image);
  }
  return members;
}

class Planner {
 public:
  explicit Planner(const PlanRequest& request)
      : request_(request), files_(open_files(request.pid)) {}

  std::vector<DescriptorImage> plan() {
    for (const OpenFile& file : files_) {
      if (is_agents(file.fd) || is_stateless(file)) continue;
      if (!add_duplicate(file)) add(file);
    }
    images_.insert(images_.end(), duplicates_.begin(), duplicates_.end());
    images_.insert(images_.end(), members_.begin(), members_.end());
    if (images_.size() > kMaxDescriptorImages) {
      throw SnapshotRefused(fmt::format("the server has {} descriptors to be restored; at most {}",
                                        images_.size(), kMaxDescriptorImages));
    }
    return std::move(images_);
  }

 private:
  static bool is_agents(int fd) {
    return fd == kSnapshotFd || fd == kTemplateMemoryFd || fd == kMovedMemoryFd;
  }

  static bool is_stateless(const OpenFile& file) {
    return std::ranges::find(kStateless, file.link) != kStateless.end();
  }

  // The same open file under a second number (2>&1): shares its position also in the child.
  bool add_duplicate(const OpenFile& file) {
    for (const OpenFile& other : files_) {
      if (other.fd >= file.fd) return false;
      if (other.link != file.link) continue;
      const long same = syscall(SYS_kcmp, request_.pid, request_.pid, KCMP_FILE, other.fd, file.fd);
      if (same != 0) continue;
      DescriptorImage image = image_of(file, DescriptorKind::kDuplicate);
      image.value[0] = static_cast<uint64_t>(other.fd);
      duplicates_.push_back(image);
      return true;
    }
    return false;
  }

  void add(const OpenFile& file) {
    if (S_ISREG(file.status.st_mode) || S_ISDIR(file.status.st_mode)) {
      images_.push_back(image_of_file(file, request_.root));
    } else if (S_ISSOCK(file.status.st_mode)) {
      images_.push_back(image_of_socket(file, request_));
    } else if (S_ISFIFO(file.status.st_mode)) {
      add_pipe(file);
    } else if (file.link == "anon_inode:[eventfd]") {
      images_.push_back(image_of_event(file));
    } else if (file.link == "anon_inode:[timerfd]") {
      images_.push_back(image_of_timer(file));
    } else if (file.link == "anon_inode:[eventpoll]") {
      images_.push_back(image_of(file, DescriptorKind::kEpoll));
      const auto members = members_of(file);
      members_.insert(members_.end(), members.begin(), members.end());
    } else {
      refuse(file, "is of a kind that cannot be restored");
    }
  }

  // By its reading end, when the writing one is known.
  void add_pipe(const OpenFile& file) {
    if (!file.link.starts_with("pipe:")) refuse(file, "is a named pipe, which leads outside");
    std::vector<const OpenFile*> reads, writes;
    for (const OpenFile& other : files_) {
      if (other.link != file.link) continue;
      ((other.flags & O_ACCMODE) == O_RDONLY ? reads : writes).push_back(&other);
    }
    if (reads.empty() || writes.empty()) refuse(file, "is a pipe whose other end lies outside");
    if (&file != reads[0]) return;
    DescriptorImage image = image_of(file, DescriptorKind::kPipe);
    image.value[0] = static_cast<uint64_t>(writes[0]->fd);
    images_.push_back(image);
  }

  const PlanRequest& request_;
  std::vector<OpenFile> files_;
  std::vector<DescriptorImage> images_;
  std::vector<DescriptorImage> duplicates_;
  std::vector<DescriptorImage> members_;  // of epolls: last, when all others are there
};

}  // namespace

std::vector<DescriptorImage> plan_descriptors(const PlanRequest& request) {
  return Planner(request).plan();
}

void check_mappings(pid_t pid, const std::string& folder) {
  errno = 0;
  const std::vector<MappedRange> ranges = mapped_ranges(pid);
  if (ranges.empty()) {
    const char* why = errno != 0 ? strerror(errno) : "it has ended";  // and has none any more
    throw SnapshotRefused(
        fmt::format("the memory mappings of the server, process {}, cannot be read: {}", pid, why));
  }
  for (const auto& [begin, end, access, offset, what] : ranges) {
    if (access[3] != 's' || access[1] != 'w') continue;
    if (what.starts_with("/memfd:esox-control")) continue;
    if (!folder.empty() && what.starts_with(folder + "/")) continue;
    const bool asynchronous =
        what.find("[aio]") != std::string::npos || what.find("io_uring") != std::string::npos;
    throw SnapshotRefused(
        fmt::format("the server shares writable memory with whoever is forked from it: {}{}", what,
                    asynchronous ? "; start it without kernel-side asynchronous I/O" : ""));
  }
}

}  // namespace esox
