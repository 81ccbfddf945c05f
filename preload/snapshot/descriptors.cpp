// SPDX-License-Identifier: Apache-2.0
#include "preload/snapshot/descriptors.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <sys/un.h>

#include "preload/core/raw.h"
#include "preload/snapshot/refusal.h"

namespace esox {
namespace {

constexpr uint32_t kMadeAtOpening = O_CREAT | O_EXCL | O_TRUNC | O_NOCTTY;
constexpr int kBacklog = 128;
constexpr int64_t kSecond_ns = 1'000'000'000;

// Gives `made` the number `wanted` (closing what had it). 0 or -errno.
long put_at(long made, int wanted, uint32_t flags) {
  if (made < 0 || made == wanted) return made < 0 ? made : 0;
  const long result = raw::call(SYS_dup3, made, wanted, static_cast<long>(flags & O_CLOEXEC));
  raw::call(SYS_close, made);
  return result < 0 ? result : 0;
}

long restore_lock(const DescriptorImage& image) {
  if (image.lock == FileLock::kNone) return 0;
  struct flock lock {};
  lock.l_type = image.lock == FileLock::kWrite ? F_WRLCK : F_RDLCK;
  lock.l_whence = SEEK_SET;
  lock.l_start = image.lock_start;
  lock.l_len = image.lock_end < 0 ? 0 : image.lock_end - image.lock_start + 1;
  return raw::call(SYS_fcntl, image.fd, F_SETLK, raw::address(&lock));
}

// The number is freed first: as all below it are taken, as a rule, open() then gives just that one.
long restore_file(const DescriptorImage& image) {
  raw::call(SYS_close, image.fd);
  const long made = raw::call(SYS_openat, AT_FDCWD, raw::address(image.path),
                              static_cast<long>(image.flags & ~kMadeAtOpening));
  if (const long error = put_at(made, image.fd, image.flags)) return error;
  if (image.offset != 0) raw::call(SYS_lseek, image.fd, image.offset, SEEK_SET);
  return restore_lock(image);
}

long copy_contents(int from, long to) {
  char buffer[16384];
  for (off_t at = 0;;) {
    const long got = raw::call(SYS_pread64, from, raw::address(buffer), sizeof buffer, at);
    if (got <= 0) return got;
    const long put = raw::call(SYS_pwrite64, to, raw::address(buffer), got, at);
    if (put != got) return put < 0 ? put : -ENOSPC;
    at += got;
  }
}

// `source` shows the template's file, which nobody writes to any more.
long restore_unlinked(const DescriptorImage& image, int source) {
  constexpr uint32_t kAccess = O_ACCMODE;
  const uint32_t flags = (image.flags & ~(kMadeAtOpening | kAccess)) | O_RDWR;
  const long made = raw::call(SYS_openat, AT_FDCWD, raw::address(image.path),
                              static_cast<long>(flags | O_TMPFILE), 0600);
  if (made < 0) return made;
  long error = copy_contents(source, made);
  if (error == 0) error = put_at(made, image.fd, image.flags);
  if (error == 0 && image.offset != 0) {
    raw::call(SYS_lseek, image.fd, image.offset, SEEK_SET);
  }
  return error == 0 ? restore_lock(image) : error;
}

long restore_connection(const DescriptorImage& image, const int* passed, uint32_t count) {
  if (image.value[0] >= count) return -EBADF;
  const int socket = passed[image.value[0]];
  const long error =
      raw::call(SYS_dup3, socket, image.fd, static_cast<long>(image.flags & O_CLOEXEC));
  if (error < 0) return error;
  const long wanted = image.flags & O_NONBLOCK;
  return wanted != 0 ? raw::call(SYS_fcntl, image.fd, F_SETFL, wanted) : 0;
}

long restore_listener(const DescriptorImage& image) {
  const long type = static_cast<long>(image.value[0]) |
                    ((image.flags & O_CLOEXEC) != 0 ? SOCK_CLOEXEC : 0) |
                    ((image.flags & O_NONBLOCK) != 0 ? SOCK_NONBLOCK : 0);
  raw::call(SYS_close, image.fd);
  const long made = raw::call(SYS_socket, AF_UNIX, type, 0);
  if (const long error = put_at(made, image.fd, image.flags)) return error;
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const size_t length = strnlen(image.path, sizeof address.sun_path - 1);
  memcpy(address.sun_path, image.path, length);
  raw::call(SYS_unlink, raw::address(address.sun_path));
  const long bound = raw::call(SYS_bind, image.fd, raw::address(&address), sizeof address);
  return bound < 0 ? bound : raw::call(SYS_listen, image.fd, kBacklog);
}

timespec to_timespec(uint64_t ns) {
  return {static_cast<time_t>(ns / kSecond_ns), static_cast<long>(ns % kSecond_ns)};
}

long restore_timer(const DescriptorImage& image) {
  const long flags = ((image.flags & O_CLOEXEC) != 0 ? TFD_CLOEXEC : 0) |
                     ((image.flags & O_NONBLOCK) != 0 ? TFD_NONBLOCK : 0);
  const long made = raw::call(SYS_timerfd_create, static_cast<long>(image.value[0]), flags);
  if (const long error = put_at(made, image.fd, image.flags)) return error;
  // An absolute time is told by the kernel as what is left until then, like a relative one.
  const itimerspec when{to_timespec(image.value[3]), to_timespec(image.value[2])};
  return raw::call(SYS_timerfd_settime, image.fd, 0, raw::address(&when), 0);
}

long restore_event(const DescriptorImage& image) {
  const long made = raw::call(SYS_eventfd2, static_cast<long>(image.value[0]),
                              static_cast<long>(image.flags & (O_CLOEXEC | O_NONBLOCK)) |
                                  static_cast<long>(image.value[1]));
  return put_at(made, image.fd, image.flags);
}

long restore_epoll(const DescriptorImage& image) {
  const long made = raw::call(SYS_epoll_create1, static_cast<long>(image.flags & O_CLOEXEC));
  return put_at(made, image.fd, image.flags);
}

long restore_epoll_member(const DescriptorImage& image) {
  epoll_event event{};
  event.events = static_cast<uint32_t>(image.value[1]);
  event.data.u64 = image.value[2];
  return raw::call(SYS_epoll_ctl, static_cast<long>(image.value[0]), EPOLL_CTL_ADD, image.fd,
                   raw::address(&event));
}

// Both ends lie within the process. tee copies what is in the pipe without taking it out.
long restore_pipe(const DescriptorImage& image, int source) {
  constexpr long kMost = 1 << 20;
  constexpr long kDoNotBlock = 2;  // SPLICE_F_NONBLOCK
  int ends[2];
  const long made = raw::call(SYS_pipe2, raw::address(ends),
                              static_cast<long>(image.flags & (O_CLOEXEC | O_NONBLOCK)));
  if (made < 0) return made;
  const long copied = raw::call(SYS_tee, source, ends[1], kMost, kDoNotBlock);
  if (copied < 0 && copied != -EAGAIN) return copied;
  const long error = put_at(ends[0], image.fd, image.flags);
  return error != 0 ? error : put_at(ends[1], static_cast<int>(image.value[0]), image.flags);
}

// Where the template's contents are needed.
bool has_source(const DescriptorImage& image) {
  return image.kind == DescriptorKind::kUnlinked || image.kind == DescriptorKind::kPipe;
}

long restore_one(const DescriptorImage& image, int source, const int* passed, uint32_t count) {
  switch (image.kind) {
    case DescriptorKind::kFile:
      return restore_file(image);
    case DescriptorKind::kUnlinked:
      return restore_unlinked(image, source);
    case DescriptorKind::kConnection:
      return restore_connection(image, passed, count);
    case DescriptorKind::kListener:
      return restore_listener(image);
    case DescriptorKind::kEvent:
      return restore_event(image);
    case DescriptorKind::kTimer:
      return restore_timer(image);
    case DescriptorKind::kEpoll:
      return restore_epoll(image);
    case DescriptorKind::kEpollMember:
      return restore_epoll_member(image);
    case DescriptorKind::kPipe:
      return restore_pipe(image, source);
    case DescriptorKind::kDuplicate:
      return raw::call(SYS_dup3, static_cast<long>(image.value[0]), image.fd,
                       static_cast<long>(image.flags & O_CLOEXEC));
    case DescriptorKind::kClose:
      raw::call(SYS_close, image.fd);
      return 0;
  }
  return -EINVAL;
}

}  // namespace

bool DescriptorTable::add(const DescriptorImage& image) {
  if (count_ == kMaxDescriptorImages) return false;
  images_[count_++] = image;
  return true;
}

bool DescriptorTable::has(int fd) const {
  for (uint32_t i = 0; i < count_; ++i) {
    const DescriptorImage& image = images_[i];
    const bool writes_here =
        image.kind == DescriptorKind::kPipe && static_cast<int>(image.value[0]) == fd;
    if (image.fd == fd || writes_here) return true;
  }
  return false;
}

// As after a fork, every number is taken and nothing of it is a file of this life: a file that is
// open twice loses its locks by the closing of either, and a free number might be given to another
// one on its way.
void DescriptorTable::hold_numbers() const {
  const auto hold = [](long fd) { raw::call(SYS_dup3, kOwnPagesFd, fd, O_CLOEXEC); };
  for (uint32_t i = 0; i < count_; ++i) {
    if (images_[i].kind == DescriptorKind::kEpollMember) continue;
    hold(images_[i].fd);
    if (images_[i].kind == DescriptorKind::kPipe) hold(static_cast<long>(images_[i].value[0]));
  }
}

bool DescriptorTable::restore(const int* passed, uint32_t passed_count, Life life, int* kept,
                              SnapshotReply& reply) const {
  if (life == Life::kRewound) hold_numbers();
  for (uint32_t i = 0; i < count_; ++i) {
    const DescriptorImage& image = images_[i];
    int source = image.fd;
    if (life != Life::kOnly && has_source(image)) {
      if (life == Life::kRewindable) {
        const long copy = raw::call(SYS_fcntl, image.fd, F_DUPFD_CLOEXEC, kFirstKeptFd);
        kept[i] = static_cast<int>(copy);
      }
      source = kept[i];
    }
    const long error = restore_one(image, source, passed, passed_count);
    if (error >= 0) continue;
    refuse(reply, SnapshotStep::kDescriptors, error, "descriptor ")
        .number(static_cast<uint64_t>(image.fd))
        .text(" cannot be made anew: ")
        .text(image.path);
    return false;
  }
  for (uint32_t i = 0; i < passed_count; ++i) raw::call(SYS_close, passed[i]);
  return true;
}

}  // namespace esox
