// SPDX-License-Identifier: Apache-2.0
#include "preload/interpose/io_choices.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include <algorithm>

#include "preload/interpose/path_objects.h"
#include "preload/request/boundary.h"
#include "preload/scheduler/scheduler.h"

namespace esox {
namespace {

bool offers_short() {
  return g_scheduler.offers(DataChoiceKind::kShortStream) ||
         g_scheduler.offers(DataChoiceKind::kShortFile);
}

uint64_t object_of(int fd) {
  const uint64_t object = descriptor_object(fd);
  return object != 0 ? object : static_cast<uint64_t>(fd);
}

// Asked of the kernel directly: the library's functions are hooks, and points.
bool is_byte_stream(int fd) {
  int type = 0;
  socklen_t size = sizeof type;
  return raw::call(SYS_getsockopt, fd, SOL_SOCKET, SO_TYPE, raw::address(&type),
                   raw::address(&size)) == 0 &&
         type == SOCK_STREAM;
}

// kNone: nothing short there.
DataChoiceKind short_kind(Transfer transfer, int fd, size_t size) {
  struct stat status {};
  if (raw::call(SYS_fstat, fd, raw::address(&status)) != 0) return DataChoiceKind::kNone;
  if (S_ISREG(status.st_mode)) {
    const bool direct = (raw::call(SYS_fcntl, fd, F_GETFL) & O_DIRECT) != 0;
    return direct ? DataChoiceKind::kNone : DataChoiceKind::kShortFile;
  }
  const bool whole = transfer == Transfer::kWrite && size <= PIPE_BUF;
  const bool stream =
      S_ISFIFO(status.st_mode) ? !whole : S_ISSOCK(status.st_mode) && is_byte_stream(fd);
  return stream ? DataChoiceKind::kShortStream : DataChoiceKind::kNone;
}

// What a read would give now, so that "short" means fewer than that.
size_t available(int fd, size_t size) {
  int bytes = 0;
  if (raw::call(SYS_ioctl, fd, FIONREAD, raw::address(&bytes)) != 0 || bytes < 0) return size;
  return std::min(size, static_cast<size_t>(bytes));
}

}  // namespace

size_t chosen_size(Transfer transfer, int fd, size_t size, uint64_t site) {
  if (!offers_short()) return size;
  ControlledThread* t = self();
  if (t == nullptr || size < 2 || is_client(fd)) return size;
  const DataChoiceKind kind = short_kind(transfer, fd, size);
  const bool stream_read = kind == DataChoiceKind::kShortStream && transfer == Transfer::kRead;
  const size_t most = stream_read ? available(fd, size) : size;
  if (kind == DataChoiceKind::kNone || most < 2) return size;
  const size_t chosen = g_scheduler.shortened(*t, kind, object_of(fd), site, most);
  return chosen < most ? chosen : size;
}

bool chosen_interrupted(int fd, uint64_t site) {
  if (!g_scheduler.offers(DataChoiceKind::kInterrupted)) return false;
  ControlledThread* t = self();
  if (t == nullptr || is_client(fd) || !g_scheduler.interrupts(*t, object_of(fd), site))
    return false;
  errno = EINTR;
  return true;
}

ChosenParts::ChosenParts(Transfer transfer, int fd, const iovec* parts, size_t count, uint64_t site)
    : parts_(parts), count_(count) {
  if (!offers_short() || self() == nullptr || count > kMost) return;
  size_t whole = 0;
  for (size_t i = 0; i < count; ++i) whole += parts[i].iov_len;
  const size_t chosen = chosen_size(transfer, fd, whole, site);
  if (chosen == whole) return;
  size_t left = chosen;
  count_ = 0;
  for (size_t i = 0; i < count && left > 0; ++i) {
    shortened_[count_] = {parts[i].iov_base, std::min(parts[i].iov_len, left)};
    left -= shortened_[count_++].iov_len;
  }
  parts_ = shortened_;
}

}  // namespace esox
