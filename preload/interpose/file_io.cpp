// SPDX-License-Identifier: Apache-2.0
// File and directory operations: scheduling points, then the real call.
//
// Servers guard files by their own protocols, not only by locks, so the order of file operations of
// different requests matters; leaving these points out hides whole families of bugs (directory
// operations among them). Reads and writes on sockets and pipes keep the rules of socket_io.cpp.
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/uio.h>
#include <unistd.h>

#include "preload/interpose/names.h"
#include "preload/interpose/outside_lock.h"
#include "preload/interpose/real.h"
#include "preload/request/boundary.h"
#include "preload/scheduler/scheduler.h"

extern "C" {
ssize_t __read_chk(int, void*, size_t, size_t);
ssize_t __pread_chk(int, void*, size_t, off_t, size_t);
ssize_t __pread64_chk(int, void*, size_t, off64_t, size_t);
int __open_2(const char*, int);
int __open64_2(const char*, int);
ssize_t __readlink_chk(const char*, char*, size_t, size_t);
char* __realpath_chk(const char*, char*, size_t);
}

namespace esox {
namespace {

// A point on a path; the name is kept for the trace.
void path_point(OpKind kind, const char* path, uint64_t site) {
  ControlledThread* t = self();
  if (t == nullptr || path == nullptr) return;
  const uint64_t object = path_object(path);
  remember_name(object, path);
  g_scheduler.point(*t, kind, object, site);
}

// A point on an open file.
void file_point(OpKind kind, int fd, uint64_t site, uint64_t aux = 0) {
  if (ControlledThread* t = self()) {
    g_scheduler.point(*t, kind, descriptor_object(fd), site, aux);
  }
}

// Reads that may block: pipes and sockets by readiness, a client's connection by its boundary.
template <class Call>
ssize_t reading(int fd, uint64_t site, Call call) {
  if (is_client(fd)) {
    before_receive(fd, site);
    const ssize_t received = call();
    const int error = errno;
    after_receive(fd, received, site);
    errno = error;
    return received;
  }
  if (ControlledThread* t = self()) {
    const bool waits = (fcntl(fd, F_GETFL) & O_NONBLOCK) == 0;
    if (descriptor_object(fd) != 0 || !waits) {
      g_scheduler.point(*t, OpKind::kFileRead, descriptor_object(fd), site);
    } else {
      pollfd ready{fd, POLLIN, 0};
      g_scheduler.readiness_point(*t, OpKind::kReceive, static_cast<uint64_t>(fd), site, &ready, 1,
                                  kNoDeadline);
    }
  }
  return call();
}

template <class Call>
ssize_t writing(int fd, uint64_t site, Call call) {
  if (is_client(fd)) {
    before_send(fd, site);
  } else {
    file_point(OpKind::kFileWrite, fd, site);
  }
  return call();
}

template <class Call>
int opening(const char* path, uint64_t site, Call call) {
  path_point(OpKind::kFileOpen, path, site);
  const int fd = call();
  if (fd >= 0 && path != nullptr) note_opened(fd, path);
  return fd;
}

// File times as the virtual wall clock would have them, so that they agree with NOW().
void shift_times(struct stat* status) {
  const int64_t offset_ns = g_scheduler.clock().offset_ns();
  if (offset_ns == 0) return;
  for (timespec* time : {&status->st_atim, &status->st_mtim, &status->st_ctim}) {
    const int64_t ns = to_ns(*time) + offset_ns;
    if (ns > 0) *time = {ns / 1'000'000'000, ns % 1'000'000'000};
  }
}

mode_t optional_mode(int flags, va_list list) {
  return (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(list, mode_t) : 0;
}

using Open = int (*)(const char*, int, ...);
using OpenAt = int (*)(int, const char*, int, ...);
using Fcntl = int (*)(int, int, ...);

// Variadic functions need the variadic calling convention.
template <class Function>
Function real_function(std::atomic<Function>& cache, const char* name) {
  Function function = cache.load(std::memory_order_relaxed);
  if (function == nullptr) {
    function = reinterpret_cast<Function>(resolve_real(name, nullptr));
    cache.store(function, std::memory_order_relaxed);
  }
  return function;
}
std::atomic<Open> g_open, g_open64;
std::atomic<OpenAt> g_openat, g_openat64;
std::atomic<Fcntl> g_fcntl, g_fcntl64;

int controlled_fcntl(std::atomic<Fcntl>& cache, const char* name, int fd, int command,
                     void* argument, uint64_t site) {
  if (command == F_SETLK || command == F_SETLKW || command == F_OFD_SETLK ||
      command == F_OFD_SETLKW) {
    file_point(OpKind::kFileLock, fd, site);
  }
  return real_function(cache, name)(fd, command, argument);
}

}  // namespace
}  // namespace esox

using namespace esox;

#define ESOX_FORWARD(name)                               \
  constinit static Real<decltype(&::name)> real_##name { \
#name                                                \
  }

ESOX_FORWARD(read);
ESOX_FORWARD(pread);
ESOX_FORWARD(pread64);
ESOX_FORWARD(readv);
ESOX_FORWARD(preadv);
ESOX_FORWARD(preadv64);
ESOX_FORWARD(write);
ESOX_FORWARD(pwrite);
ESOX_FORWARD(pwrite64);
ESOX_FORWARD(writev);
ESOX_FORWARD(pwritev);
ESOX_FORWARD(pwritev64);
ESOX_FORWARD(creat);
ESOX_FORWARD(creat64);
ESOX_FORWARD(fopen);
ESOX_FORWARD(fopen64);
ESOX_FORWARD(fsync);
ESOX_FORWARD(fdatasync);
ESOX_FORWARD(sync_file_range);
ESOX_FORWARD(ftruncate);
ESOX_FORWARD(ftruncate64);
ESOX_FORWARD(truncate);
ESOX_FORWARD(truncate64);
ESOX_FORWARD(posix_fallocate);
ESOX_FORWARD(posix_fallocate64);
ESOX_FORWARD(fallocate);
ESOX_FORWARD(fallocate64);
ESOX_FORWARD(rename);
ESOX_FORWARD(renameat);
ESOX_FORWARD(unlink);
ESOX_FORWARD(unlinkat);
ESOX_FORWARD(remove);
ESOX_FORWARD(rmdir);
ESOX_FORWARD(mkdir);
ESOX_FORWARD(mkdirat);
ESOX_FORWARD(link);
ESOX_FORWARD(symlink);
ESOX_FORWARD(readlink);
ESOX_FORWARD(realpath);
ESOX_FORWARD(stat);
ESOX_FORWARD(stat64);
ESOX_FORWARD(lstat);
ESOX_FORWARD(lstat64);
ESOX_FORWARD(fstat);
ESOX_FORWARD(fstat64);
ESOX_FORWARD(fstatat);
ESOX_FORWARD(fstatat64);
ESOX_FORWARD(access);
ESOX_FORWARD(faccessat);
ESOX_FORWARD(opendir);
ESOX_FORWARD(readdir);
ESOX_FORWARD(readdir64);
ESOX_FORWARD(lseek);
ESOX_FORWARD(lseek64);
ESOX_FORWARD(flock);
ESOX_FORWARD(lockf);
ESOX_FORWARD(lockf64);

// --- Reading and writing -----------------------------------------------------------------------

ESOX_HOOK ssize_t read(int fd, void* buffer, size_t size) {
  return reading(fd, ESOX_SITE(), [&] { return real_read(fd, buffer, size); });
}

ESOX_HOOK ssize_t __read_chk(int fd, void* buffer, size_t size, size_t room) {
  if (size > room) __builtin_trap();
  return reading(fd, ESOX_SITE(), [&] { return real_read(fd, buffer, size); });
}

ESOX_HOOK ssize_t readv(int fd, const iovec* parts, int count) {
  return reading(fd, ESOX_SITE(), [&] { return real_readv(fd, parts, count); });
}

ESOX_HOOK ssize_t write(int fd, const void* buffer, size_t size) {
  return writing(fd, ESOX_SITE(), [&] { return real_write(fd, buffer, size); });
}

ESOX_HOOK ssize_t writev(int fd, const iovec* parts, int count) {
  return writing(fd, ESOX_SITE(), [&] { return real_writev(fd, parts, count); });
}

#define ESOX_POSITIONED(name, kind, buffer_type, offset_type)                           \
  ESOX_HOOK ssize_t name(int fd, buffer_type buffer, size_t size, offset_type offset) { \
    file_point(kind, fd, ESOX_SITE(), static_cast<uint64_t>(offset));                   \
    return real_##name(fd, buffer, size, offset);                                       \
  }
ESOX_POSITIONED(pread, OpKind::kFileRead, void*, off_t)
ESOX_POSITIONED(pread64, OpKind::kFileRead, void*, off64_t)
ESOX_POSITIONED(pwrite, OpKind::kFileWrite, const void*, off_t)
ESOX_POSITIONED(pwrite64, OpKind::kFileWrite, const void*, off64_t)

#define ESOX_POSITIONED_VECTOR(name, kind, offset_type)                               \
  ESOX_HOOK ssize_t name(int fd, const iovec* parts, int count, offset_type offset) { \
    file_point(kind, fd, ESOX_SITE(), static_cast<uint64_t>(offset));                 \
    return real_##name(fd, parts, count, offset);                                     \
  }
ESOX_POSITIONED_VECTOR(preadv, OpKind::kFileRead, off_t)
ESOX_POSITIONED_VECTOR(preadv64, OpKind::kFileRead, off64_t)
ESOX_POSITIONED_VECTOR(pwritev, OpKind::kFileWrite, off_t)
ESOX_POSITIONED_VECTOR(pwritev64, OpKind::kFileWrite, off64_t)

ESOX_HOOK ssize_t __pread_chk(int fd, void* buffer, size_t size, off_t offset, size_t room) {
  if (size > room) __builtin_trap();
  file_point(OpKind::kFileRead, fd, ESOX_SITE(), static_cast<uint64_t>(offset));
  return real_pread(fd, buffer, size, offset);
}

ESOX_HOOK ssize_t __pread64_chk(int fd, void* buffer, size_t size, off64_t offset, size_t room) {
  if (size > room) __builtin_trap();
  file_point(OpKind::kFileRead, fd, ESOX_SITE(), static_cast<uint64_t>(offset));
  return real_pread64(fd, buffer, size, offset);
}

// --- Opening -----------------------------------------------------------------------------------

#define ESOX_OPEN(name, cache)                                                      \
  ESOX_HOOK int name(const char* path, int flags, ...) {                            \
    va_list list;                                                                   \
    va_start(list, flags);                                                          \
    const mode_t mode = optional_mode(flags, list);                                 \
    va_end(list);                                                                   \
    return opening(path, ESOX_SITE(),                                               \
                   [&] { return real_function(cache, #name)(path, flags, mode); }); \
  }
ESOX_OPEN(open, g_open)
ESOX_OPEN(open64, g_open64)

#define ESOX_OPENAT(name, cache)                                                               \
  ESOX_HOOK int name(int directory, const char* path, int flags, ...) {                        \
    va_list list;                                                                              \
    va_start(list, flags);                                                                     \
    const mode_t mode = optional_mode(flags, list);                                            \
    va_end(list);                                                                              \
    return opening(path, ESOX_SITE(),                                                          \
                   [&] { return real_function(cache, #name)(directory, path, flags, mode); }); \
  }
ESOX_OPENAT(openat, g_openat)
ESOX_OPENAT(openat64, g_openat64)

ESOX_HOOK int __open_2(const char* path, int flags) {
  return opening(path, ESOX_SITE(), [&] { return real_function(g_open, "open")(path, flags, 0); });
}

ESOX_HOOK int __open64_2(const char* path, int flags) {
  return opening(path, ESOX_SITE(),
                 [&] { return real_function(g_open64, "open64")(path, flags, 0); });
}

ESOX_HOOK int creat(const char* path, mode_t mode) {
  return opening(path, ESOX_SITE(), [&] { return real_creat(path, mode); });
}

ESOX_HOOK int creat64(const char* path, mode_t mode) {
  return opening(path, ESOX_SITE(), [&] { return real_creat64(path, mode); });
}

#define ESOX_FOPEN(name)                                     \
  ESOX_HOOK FILE* name(const char* path, const char* mode) { \
    path_point(OpKind::kFileOpen, path, ESOX_SITE());        \
    FILE* file = real_##name(path, mode);                    \
    if (file != nullptr) note_opened(fileno(file), path);    \
    return file;                                             \
  }
ESOX_FOPEN(fopen)
ESOX_FOPEN(fopen64)

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

#define ESOX_FTRUNCATE(name, offset_type)                                          \
  ESOX_HOOK int name(int fd, offset_type size) noexcept {                          \
    file_point(OpKind::kFileResize, fd, ESOX_SITE(), static_cast<uint64_t>(size)); \
    return real_##name(fd, size);                                                  \
  }
ESOX_FTRUNCATE(ftruncate, off_t)
ESOX_FTRUNCATE(ftruncate64, off64_t)

#define ESOX_TRUNCATE(name, offset_type)                            \
  ESOX_HOOK int name(const char* path, offset_type size) noexcept { \
    path_point(OpKind::kFileResize, path, ESOX_SITE());             \
    return real_##name(path, size);                                 \
  }
ESOX_TRUNCATE(truncate, off_t)
ESOX_TRUNCATE(truncate64, off64_t)

#define ESOX_POSIX_FALLOCATE(name, offset_type)                                             \
  ESOX_HOOK int name(int fd, offset_type offset, offset_type size) {                        \
    file_point(OpKind::kFileResize, fd, ESOX_SITE(), static_cast<uint64_t>(offset + size)); \
    return real_##name(fd, offset, size);                                                   \
  }
ESOX_POSIX_FALLOCATE(posix_fallocate, off_t)
ESOX_POSIX_FALLOCATE(posix_fallocate64, off64_t)

#define ESOX_FALLOCATE(name, offset_type)                                                   \
  ESOX_HOOK int name(int fd, int mode, offset_type offset, offset_type size) {              \
    file_point(OpKind::kFileResize, fd, ESOX_SITE(), static_cast<uint64_t>(offset + size)); \
    return real_##name(fd, mode, offset, size);                                             \
  }
ESOX_FALLOCATE(fallocate, off_t)
ESOX_FALLOCATE(fallocate64, off64_t)

#define ESOX_SEEK(name, offset_type)                                            \
  ESOX_HOOK offset_type name(int fd, offset_type offset, int whence) noexcept { \
    file_point(OpKind::kFileStat, fd, ESOX_SITE());                             \
    return real_##name(fd, offset, whence);                                     \
  }
ESOX_SEEK(lseek, off_t)
ESOX_SEEK(lseek64, off64_t)

// --- Names -------------------------------------------------------------------------------------

ESOX_HOOK int rename(const char* from, const char* to) noexcept {
  path_point(OpKind::kFileRename, from, ESOX_SITE());
  return real_rename(from, to);
}

ESOX_HOOK int renameat(int from_directory, const char* from, int to_directory,
                       const char* to) noexcept {
  path_point(OpKind::kFileRename, from, ESOX_SITE());
  return real_renameat(from_directory, from, to_directory, to);
}

ESOX_HOOK int link(const char* from, const char* to) noexcept {
  path_point(OpKind::kFileRename, to, ESOX_SITE());
  return real_link(from, to);
}

ESOX_HOOK int symlink(const char* target, const char* path) noexcept {
  path_point(OpKind::kFileRename, path, ESOX_SITE());
  return real_symlink(target, path);
}

#define ESOX_PATH_CALL(name, kind)                \
  ESOX_HOOK int name(const char* path) noexcept { \
    path_point(kind, path, ESOX_SITE());          \
    return real_##name(path);                     \
  }
ESOX_PATH_CALL(unlink, OpKind::kFileRemove)
ESOX_PATH_CALL(remove, OpKind::kFileRemove)
ESOX_PATH_CALL(rmdir, OpKind::kFileRemove)

ESOX_HOOK int unlinkat(int directory, const char* path, int flags) noexcept {
  path_point(OpKind::kFileRemove, path, ESOX_SITE());
  return real_unlinkat(directory, path, flags);
}

ESOX_HOOK int mkdir(const char* path, mode_t mode) noexcept {
  path_point(OpKind::kDirectoryMake, path, ESOX_SITE());
  return real_mkdir(path, mode);
}

ESOX_HOOK int mkdirat(int directory, const char* path, mode_t mode) noexcept {
  path_point(OpKind::kDirectoryMake, path, ESOX_SITE());
  return real_mkdirat(directory, path, mode);
}

ESOX_HOOK ssize_t readlink(const char* path, char* buffer, size_t size) noexcept {
  path_point(OpKind::kFileStat, path, ESOX_SITE());
  return real_readlink(path, buffer, size);
}

ESOX_HOOK ssize_t __readlink_chk(const char* path, char* buffer, size_t size,
                                 size_t room) noexcept {
  if (size > room) __builtin_trap();
  path_point(OpKind::kFileStat, path, ESOX_SITE());
  return real_readlink(path, buffer, size);
}

ESOX_HOOK char* realpath(const char* path, char* resolved) noexcept {
  path_point(OpKind::kFileStat, path, ESOX_SITE());
  return real_realpath(path, resolved);
}

ESOX_HOOK char* __realpath_chk(const char* path, char* resolved, size_t) noexcept {
  path_point(OpKind::kFileStat, path, ESOX_SITE());
  return real_realpath(path, resolved);
}

// --- Status ------------------------------------------------------------------------------------

#define ESOX_STAT(name, status_type)                                          \
  ESOX_HOOK int name(const char* path, struct status_type* status) noexcept { \
    path_point(OpKind::kFileStat, path, ESOX_SITE());                         \
    const int result = real_##name(path, status);                             \
    if (result == 0) shift_times(reinterpret_cast<struct stat*>(status));     \
    return result;                                                            \
  }
static_assert(sizeof(struct stat) == sizeof(struct stat64));
ESOX_STAT(stat, stat)
ESOX_STAT(stat64, stat64)
ESOX_STAT(lstat, stat)
ESOX_STAT(lstat64, stat64)

#define ESOX_FSTAT(name, status_type)                                     \
  ESOX_HOOK int name(int fd, struct status_type* status) noexcept {       \
    file_point(OpKind::kFileStat, fd, ESOX_SITE());                       \
    const int result = real_##name(fd, status);                           \
    if (result == 0) shift_times(reinterpret_cast<struct stat*>(status)); \
    return result;                                                        \
  }
ESOX_FSTAT(fstat, stat)
ESOX_FSTAT(fstat64, stat64)

#define ESOX_FSTATAT(name, status_type)                                           \
  ESOX_HOOK int name(int directory, const char* path, struct status_type* status, \
                     int flags) noexcept {                                        \
    path_point(OpKind::kFileStat, path, ESOX_SITE());                             \
    const int result = real_##name(directory, path, status, flags);               \
    if (result == 0) shift_times(reinterpret_cast<struct stat*>(status));         \
    return result;                                                                \
  }
ESOX_FSTATAT(fstatat, stat)
ESOX_FSTATAT(fstatat64, stat64)

ESOX_HOOK int access(const char* path, int mode) noexcept {
  path_point(OpKind::kFileStat, path, ESOX_SITE());
  return real_access(path, mode);
}

ESOX_HOOK int faccessat(int directory, const char* path, int mode, int flags) noexcept {
  path_point(OpKind::kFileStat, path, ESOX_SITE());
  return real_faccessat(directory, path, mode, flags);
}

// --- Directories and locks ---------------------------------------------------------------------

ESOX_HOOK DIR* opendir(const char* path) {
  path_point(OpKind::kDirectoryRead, path, ESOX_SITE());
  return real_opendir(path);
}

ESOX_HOOK dirent* readdir(DIR* directory) {
  if (ControlledThread* t = self()) g_scheduler.point(*t, OpKind::kDirectoryRead, 0, ESOX_SITE());
  return real_readdir(directory);
}

ESOX_HOOK dirent64* readdir64(DIR* directory) {
  if (ControlledThread* t = self()) g_scheduler.point(*t, OpKind::kDirectoryRead, 0, ESOX_SITE());
  return real_readdir64(directory);
}

#define ESOX_FCNTL(name, cache)                                                \
  ESOX_HOOK int name(int fd, int command, ...) {                               \
    va_list list;                                                              \
    va_start(list, command);                                                   \
    void* argument = va_arg(list, void*);                                      \
    va_end(list);                                                              \
    return controlled_fcntl(cache, #name, fd, command, argument, ESOX_SITE()); \
  }
ESOX_FCNTL(fcntl, g_fcntl)
ESOX_FCNTL(fcntl64, g_fcntl64)

ESOX_HOOK int flock(int fd, int operation) noexcept {
  file_point(OpKind::kFileLock, fd, ESOX_SITE());
  return real_flock(fd, operation);
}

ESOX_HOOK int lockf(int fd, int command, off_t size) {
  file_point(OpKind::kFileLock, fd, ESOX_SITE());
  return real_lockf(fd, command, size);
}

ESOX_HOOK int lockf64(int fd, int command, off64_t size) {
  file_point(OpKind::kFileLock, fd, ESOX_SITE());
  return real_lockf64(fd, command, size);
}
