// SPDX-License-Identifier: Apache-2.0
// Reading, writing, opening and resizing files: scheduling points, then the real call.
//
// Servers guard files by their own protocols, not only by locks, so the order of file operations of
// different requests matters; leaving these points out hides whole families of bugs (directory
// operations among them, directories.cpp). Reads and writes on sockets and pipes keep the rules of
// socket_io.cpp.
//
// Limit: one write that is larger than what a pipe or socket has room for blocks natively.
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/sendfile.h>
#include <sys/uio.h>
#include <unistd.h>

#include "preload/interpose/file_point.h"
#include "preload/interpose/io_choices.h"
#include "preload/interpose/random.h"
#include "preload/request/boundary.h"

extern "C" {
ssize_t __read_chk(int, void*, size_t, size_t);
ssize_t __pread_chk(int, void*, size_t, off_t, size_t);
ssize_t __pread64_chk(int, void*, size_t, off64_t, size_t);
int __open_2(const char*, int);
int __open64_2(const char*, int);
int __openat_2(int, const char*, int);
int __openat64_2(int, const char*, int);
}

namespace esox {
namespace {

using Open = int (*)(const char*, int, ...);
using OpenAt = int (*)(int, const char*, int, ...);

ESOX_REAL(read);
ESOX_REAL(readv);
ESOX_REAL(write);
ESOX_REAL(writev);
ESOX_REAL(sendfile);
ESOX_REAL(sendfile64);
ESOX_REAL(splice);
ESOX_LISTED constinit VariadicReal<Open> real_open{"open"};
ESOX_LISTED constinit VariadicReal<Open> real_open64{"open64"};
ESOX_LISTED constinit VariadicReal<OpenAt> real_openat{"openat"};
ESOX_LISTED constinit VariadicReal<OpenAt> real_openat64{"openat64"};
ESOX_REAL(creat);
ESOX_REAL(creat64);
ESOX_REAL(dup);
ESOX_REAL(dup2);
ESOX_REAL(dup3);
ESOX_REAL(fsync);
ESOX_REAL(fdatasync);
ESOX_REAL(sync_file_range);

bool may_block(int fd) {
  return descriptor_object(fd) == 0 && (fcntl(fd, F_GETFL) & O_NONBLOCK) == 0;
}

// A point that a blocking pipe or socket passes only when it is ready.
void stream_point(OpKind kind, OpKind blocking_kind, int fd, short events, uint64_t site) {
  ControlledThread* t = self();
  if (t == nullptr) return;
  if (!may_block(fd)) {
    g_scheduler.point(*t, kind, descriptor_object(fd), site);
    return;
  }
  pollfd ready{fd, events, 0};
  const uint64_t object = kind == blocking_kind ? 0 : static_cast<uint64_t>(fd);
  g_scheduler.readiness_point(*t, blocking_kind, object, site, &ready, 1, kNoDeadline);
}

// A call on a file is not interrupted, nor one that does not wait.
bool interrupted_stream(int fd, uint64_t site) {
  if (!g_scheduler.offers(DataChoiceKind::kInterrupted) || self() == nullptr) return false;
  return may_block(fd) && chosen_interrupted(fd, site);
}

ssize_t reading(int fd, uint64_t site, auto call) {
  if (is_client(fd)) {
    before_receive(fd, site);
    const ssize_t received = call();
    const int error = errno;
    after_receive(fd, received, site);
    errno = error;
    return received;
  }
  stream_point(OpKind::kFileRead, OpKind::kReceive, fd, POLLIN, site);
  return interrupted_stream(fd, site) ? -1 : call();
}

ssize_t reading(int fd, void* buffer, size_t size, uint64_t site) {
  return reading(fd, site, [&] {
    if (is_random_device(fd)) return fill_random(buffer, size);
    return real_read(fd, buffer, chosen_size(Transfer::kRead, fd, size, site));
  });
}

// A negative count is the kernel's to refuse.
size_t part_count(int count) {
  return count < 0 ? 0 : static_cast<size_t>(count);
}

int chosen_count(const ChosenParts& chosen, int count) {
  return count < 0 ? count : static_cast<int>(chosen.count());
}

ssize_t writing(int fd, uint64_t site, auto call) {
  if (is_client(fd)) {
    before_send(fd, site);
  } else {
    stream_point(OpKind::kFileWrite, OpKind::kFileWrite, fd, POLLOUT, site);
    if (interrupted_stream(fd, site)) return -1;
  }
  return call();
}

int opening(const char* path, uint64_t site, auto call) {
  path_point(OpKind::kFileOpen, path, site);
  const int fd = call();
  if (fd >= 0 && path != nullptr) note_opened(fd, path);
  return fd;
}

// A file whose name the C library makes up is known by its template: the name differs between equal
// executions.
int opening_temporary(const char* name_template, uint64_t site, auto call) {
  const uint64_t object = path_object(name_template);
  path_point(OpKind::kFileOpen, name_template, site);
  const int fd = call();
  if (fd >= 0) note_object(fd, object);
  return fd;
}

int duplicating(int from, int to) {
  note_duplicated(from, to);
  return to;
}

mode_t optional_mode(int flags, va_list list) {
  return (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(list, mode_t) : 0;
}

}  // namespace
}  // namespace esox

using namespace esox;

// --- Reading and writing -----------------------------------------------------------------------

ESOX_HOOK ssize_t read(int fd, void* buffer, size_t size) {
  return reading(fd, buffer, size, ESOX_SITE());
}

ESOX_HOOK ssize_t __read_chk(int fd, void* buffer, size_t size, size_t room) {
  if (size > room) __builtin_trap();
  return reading(fd, buffer, size, ESOX_SITE());
}

ESOX_HOOK ssize_t readv(int fd, const iovec* parts, int count) {
  const uint64_t site = ESOX_SITE();
  return reading(fd, site, [&] {
    const ChosenParts chosen(Transfer::kRead, fd, parts, part_count(count), site);
    return real_readv(fd, chosen.parts(), chosen_count(chosen, count));
  });
}

ESOX_HOOK ssize_t write(int fd, const void* buffer, size_t size) {
  const uint64_t site = ESOX_SITE();
  return writing(fd, site, [&] {
    return real_write(fd, buffer, chosen_size(Transfer::kWrite, fd, size, site));
  });
}

ESOX_HOOK ssize_t writev(int fd, const iovec* parts, int count) {
  const uint64_t site = ESOX_SITE();
  return writing(fd, site, [&] {
    const ChosenParts chosen(Transfer::kWrite, fd, parts, part_count(count), site);
    return real_writev(fd, chosen.parts(), chosen_count(chosen, count));
  });
}

ESOX_HOOK ssize_t sendfile(int to, int from, off_t* offset, size_t size) noexcept {
  return writing(to, ESOX_SITE(), [&] { return real_sendfile(to, from, offset, size); });
}

ESOX_HOOK ssize_t sendfile64(int to, int from, off64_t* offset, size_t size) noexcept {
  return writing(to, ESOX_SITE(), [&] { return real_sendfile64(to, from, offset, size); });
}

ESOX_HOOK ssize_t splice(int from, off64_t* from_offset, int to, off64_t* to_offset, size_t size,
                         unsigned flags) {
  const uint64_t site = ESOX_SITE();
  stream_point(OpKind::kFileRead, OpKind::kReceive, from, POLLIN, site);
  return writing(to, site,
                 [&] { return real_splice(from, from_offset, to, to_offset, size, flags); });
}

#define ESOX_POSITIONED(name, transfer, kind, buffer_type, offset_type)                         \
  ESOX_POINT_HOOK(ssize_t, name, (int fd, buffer_type buffer, size_t size, offset_type offset), \
                  (fd, buffer, chosen_size(transfer, fd, size, site), offset), ,                \
                  file_point(kind, fd, site, static_cast<uint64_t>(offset)))
ESOX_POSITIONED(pread, Transfer::kRead, OpKind::kFileRead, void*, off_t)
ESOX_POSITIONED(pread64, Transfer::kRead, OpKind::kFileRead, void*, off64_t)
ESOX_POSITIONED(pwrite, Transfer::kWrite, OpKind::kFileWrite, const void*, off_t)
ESOX_POSITIONED(pwrite64, Transfer::kWrite, OpKind::kFileWrite, const void*, off64_t)

#define ESOX_POSITIONED_CHECKED(name, offset_type)                                            \
  ESOX_POINT_HOOK(ssize_t, name,                                                              \
                  (int fd, void* buffer, size_t size, offset_type offset, size_t room),       \
                  (fd, buffer, chosen_size(Transfer::kRead, fd, size, site), offset, room), , \
                  file_point(OpKind::kFileRead, fd, site, static_cast<uint64_t>(offset)))
ESOX_POSITIONED_CHECKED(__pread_chk, off_t)
ESOX_POSITIONED_CHECKED(__pread64_chk, off64_t)

#define ESOX_VECTOR_AT(name, transfer, kind, parameters, arguments)          \
  ESOX_POINT_HOOK(ssize_t, name, parameters, arguments, ,                    \
                  file_point(kind, fd, site, static_cast<uint64_t>(offset)); \
                  const ChosenParts chosen(transfer, fd, parts, part_count(count), site))

#define ESOX_POSITIONED_VECTOR(name, transfer, kind, offset_type)             \
  ESOX_VECTOR_AT(name, transfer, kind,                                        \
                 (int fd, const iovec* parts, int count, offset_type offset), \
                 (fd, chosen.parts(), chosen_count(chosen, count), offset))
ESOX_POSITIONED_VECTOR(preadv, Transfer::kRead, OpKind::kFileRead, off_t)
ESOX_POSITIONED_VECTOR(preadv64, Transfer::kRead, OpKind::kFileRead, off64_t)
ESOX_POSITIONED_VECTOR(pwritev, Transfer::kWrite, OpKind::kFileWrite, off_t)
ESOX_POSITIONED_VECTOR(pwritev64, Transfer::kWrite, OpKind::kFileWrite, off64_t)

#define ESOX_POSITIONED_VECTOR_FLAGS(name, transfer, kind, offset_type)                  \
  ESOX_VECTOR_AT(name, transfer, kind,                                                   \
                 (int fd, const iovec* parts, int count, offset_type offset, int flags), \
                 (fd, chosen.parts(), chosen_count(chosen, count), offset, flags))
ESOX_POSITIONED_VECTOR_FLAGS(preadv2, Transfer::kRead, OpKind::kFileRead, off_t)
ESOX_POSITIONED_VECTOR_FLAGS(preadv64v2, Transfer::kRead, OpKind::kFileRead, off64_t)
ESOX_POSITIONED_VECTOR_FLAGS(pwritev2, Transfer::kWrite, OpKind::kFileWrite, off_t)
ESOX_POSITIONED_VECTOR_FLAGS(pwritev64v2, Transfer::kWrite, OpKind::kFileWrite, off64_t)

ESOX_POINT_HOOK(ssize_t, copy_file_range,
                (int from, off64_t* from_offset, int to, off64_t* to_offset, size_t size,
                 unsigned flags),
                (from, from_offset, to, to_offset, size, flags), ,
                file_point(OpKind::kFileWrite, to, site))

// --- Opening -----------------------------------------------------------------------------------

#define ESOX_OPEN(name, checked)                                                             \
  ESOX_HOOK int name(const char* path, int flags, ...) {                                     \
    va_list list;                                                                            \
    va_start(list, flags);                                                                   \
    const mode_t mode = optional_mode(flags, list);                                          \
    va_end(list);                                                                            \
    return opening(path, ESOX_SITE(), [&] { return real_##name.get()(path, flags, mode); }); \
  }                                                                                          \
  ESOX_HOOK int checked(const char* path, int flags) {                                       \
    return opening(path, ESOX_SITE(), [&] { return real_##name.get()(path, flags, 0); });    \
  }
ESOX_OPEN(open, __open_2)
ESOX_OPEN(open64, __open64_2)

#define ESOX_OPENAT(name, checked)                                                               \
  ESOX_HOOK int name(int at, const char* path, int flags, ...) {                                 \
    va_list list;                                                                                \
    va_start(list, flags);                                                                       \
    const mode_t mode = optional_mode(flags, list);                                              \
    va_end(list);                                                                                \
    return opening(path, ESOX_SITE(), [&] { return real_##name.get()(at, path, flags, mode); }); \
  }                                                                                              \
  ESOX_HOOK int checked(int at, const char* path, int flags) {                                   \
    return opening(path, ESOX_SITE(), [&] { return real_##name.get()(at, path, flags, 0); });    \
  }
ESOX_OPENAT(openat, __openat_2)
ESOX_OPENAT(openat64, __openat64_2)

ESOX_HOOK int creat(const char* path, mode_t mode) {
  return opening(path, ESOX_SITE(), [&] { return real_creat(path, mode); });
}

ESOX_HOOK int creat64(const char* path, mode_t mode) {
  return opening(path, ESOX_SITE(), [&] { return real_creat64(path, mode); });
}

#define ESOX_TEMPORARY(name, parameters, arguments)                                     \
  static ESOX_REAL(name);                                                               \
  ESOX_HOOK int name parameters {                                                       \
    return opening_temporary(path, ESOX_SITE(), [&] { return real_##name arguments; }); \
  }
ESOX_TEMPORARY(mkstemp, (char* path), (path))
ESOX_TEMPORARY(mkstemp64, (char* path), (path))
ESOX_TEMPORARY(mkostemp, (char* path, int flags), (path, flags))
ESOX_TEMPORARY(mkostemp64, (char* path, int flags), (path, flags))
ESOX_TEMPORARY(mkstemps, (char* path, int tail), (path, tail))
ESOX_TEMPORARY(mkstemps64, (char* path, int tail), (path, tail))
ESOX_TEMPORARY(mkostemps, (char* path, int tail, int flags), (path, tail, flags))
ESOX_TEMPORARY(mkostemps64, (char* path, int tail, int flags), (path, tail, flags))

ESOX_HOOK int dup(int fd) noexcept {
  return duplicating(fd, real_dup(fd));
}
ESOX_HOOK int dup2(int fd, int to) noexcept {
  return duplicating(fd, real_dup2(fd, to));
}
ESOX_HOOK int dup3(int fd, int to, int flags) noexcept {
  return duplicating(fd, real_dup3(fd, to, flags));
}

// --- Durability and size -----------------------------------------------------------------------

ESOX_HOOK int fsync(int fd) {
  file_point(OpKind::kFileSync, fd, ESOX_SITE());
  return block().skip_sync != 0 ? 0 : real_fsync(fd);
}

ESOX_HOOK int fdatasync(int fd) {
  file_point(OpKind::kFileSync, fd, ESOX_SITE());
  return block().skip_sync != 0 ? 0 : real_fdatasync(fd);
}

ESOX_HOOK int sync_file_range(int fd, off64_t offset, off64_t size, unsigned flags) {
  file_point(OpKind::kFileSync, fd, ESOX_SITE());
  return block().skip_sync != 0 ? 0 : real_sync_file_range(fd, offset, size, flags);
}

#define ESOX_RESIZE(suffix, offset_type)                                                           \
  ESOX_POINT_HOOK(int, ftruncate##suffix, (int fd, offset_type size), (fd, size), noexcept,        \
                  file_point(OpKind::kFileResize, fd, site, static_cast<uint64_t>(size)))          \
  ESOX_POINT_HOOK(int, truncate##suffix, (const char* path, offset_type size), (path, size),       \
                  noexcept, path_point(OpKind::kFileResize, path, site))                           \
  ESOX_POINT_HOOK(int, posix_fallocate##suffix, (int fd, offset_type offset, offset_type size),    \
                  (fd, offset, size), ,                                                            \
                  file_point(OpKind::kFileResize, fd, site, static_cast<uint64_t>(offset + size))) \
  ESOX_POINT_HOOK(int, fallocate##suffix,                                                          \
                  (int fd, int mode, offset_type offset, offset_type size),                        \
                  (fd, mode, offset, size), ,                                                      \
                  file_point(OpKind::kFileResize, fd, site, static_cast<uint64_t>(offset + size))) \
  ESOX_POINT_HOOK(offset_type, lseek##suffix, (int fd, offset_type offset, int whence),            \
                  (fd, offset, whence), noexcept, file_point(OpKind::kFileStat, fd, site))
ESOX_RESIZE(, off_t)
ESOX_RESIZE(64, off64_t)
