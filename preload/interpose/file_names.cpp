// SPDX-License-Identifier: Apache-2.0
// Names and status: scheduling points, then the real call (see file_io.cpp for why).
//
// File times are shown and set as the virtual wall clock has them, so that they agree with what the
// server reads from its clocks. But for those that only the kernel sets: a file that was copied has
// them from its copying. The last change of a file's status is told as that of its contents
// (InnoDB's Create_time is the former), its birth not at all. Its numbers: file_numbers.h.
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/time.h>
#include <unistd.h>
#include <utime.h>

#include "preload/interpose/file_numbers.h"
#include "preload/interpose/file_point.h"
#include "preload/interpose/outside_lock.h"

extern "C" {
ssize_t __readlink_chk(const char*, char*, size_t, size_t);
ssize_t __readlinkat_chk(int, const char*, char*, size_t, size_t);
char* __realpath_chk(const char*, char*, size_t);
}

namespace esox {
namespace {

timespec from_ns(int64_t ns) {
  return ns < 0 ? timespec{0, 0} : timespec{ns / 1'000'000'000, ns % 1'000'000'000};
}

timespec noted(int64_t kernel_ns) {
  return from_ns(g_scheduler.clock().noted_ns(kernel_ns));
}

// Reading a file is not noted, as file systems differ in whether they do.
timespec noted_read(int64_t kernel_ns, int64_t changed_kernel_ns) {
  return noted(g_scheduler.clock().is_own(kernel_ns) ? changed_kernel_ns : kernel_ns);
}

// Of `status` as the kernel gave it.
void shift_times(struct stat* status) {
  if (g_scheduler.clock().offset_ns() == 0) return;
  const int64_t changed_ns = to_ns(status->st_mtim);
  status->st_atim = noted_read(to_ns(status->st_atim), changed_ns);
  status->st_ctim = status->st_mtim = noted(changed_ns);
}

void shift_times(struct statx* status) {
  if (g_scheduler.clock().offset_ns() == 0) return;
  const auto kernel_ns = [](const statx_timestamp& time) {
    return to_ns({time.tv_sec, time.tv_nsec});
  };
  const auto set = [](statx_timestamp& time, const timespec& shown) {
    time.tv_sec = shown.tv_sec;
    time.tv_nsec = static_cast<uint32_t>(shown.tv_nsec);
  };
  const int64_t changed_ns = kernel_ns(status->stx_mtime);
  set(status->stx_atime, noted_read(kernel_ns(status->stx_atime), changed_ns));
  set(status->stx_mtime, noted(changed_ns));
  status->stx_ctime = status->stx_mtime;
  status->stx_btime = {};
  status->stx_mask &= ~static_cast<uint32_t>(STATX_BTIME);
}

// As the program is to see it; `where` as for show_numbers().
template <class Status, class... Where>
void show(Status* status, Where... where) {
  shift_times(status);
  show_numbers(*status, where...);
}

static_assert(sizeof(struct stat) == sizeof(struct stat64));
void show(struct stat64* status, auto... where) {
  show(reinterpret_cast<struct stat*>(status), where...);
}

// A time that the server sets, for the kernel.
timespec to_kernel(const timespec& time) {
  if (time.tv_nsec == UTIME_NOW || time.tv_nsec == UTIME_OMIT) return time;
  return from_ns(to_ns(time) - g_scheduler.clock().offset_ns());
}

struct KernelTimes {
  timespec times[2];
  explicit KernelTimes(const timespec* wanted) {
    if (wanted != nullptr) times[0] = to_kernel(wanted[0]), times[1] = to_kernel(wanted[1]);
  }
};

}  // namespace
}  // namespace esox

using namespace esox;

// --- Names -------------------------------------------------------------------------------------

// The hook of a call that takes away the name `path` in the folder `at`.
#define ESOX_REMOVAL_HOOK(name, parameters, arguments, point, at, path) \
  static ESOX_REAL(name);                                               \
  ESOX_HOOK int name parameters noexcept {                              \
    const uint64_t site = ESOX_SITE();                                  \
    point;                                                              \
    const Removal removal(at, path);                                    \
    const int result = real_##name arguments;                           \
    removal.done(result == 0);                                          \
    return result;                                                      \
  }
ESOX_REMOVAL_HOOK(rename, (const char* from, const char* to), (from, to),
                  path_point(OpKind::kFileRename, from, site), AT_FDCWD, to)
ESOX_REMOVAL_HOOK(renameat, (int at, const char* from, int to_at, const char* to),
                  (at, from, to_at, to), path_point(OpKind::kFileRename, from, site), to_at, to)
ESOX_REMOVAL_HOOK(renameat2, (int at, const char* from, int to_at, const char* to, unsigned flags),
                  (at, from, to_at, to, flags), path_point(OpKind::kFileRename, from, site), to_at,
                  (flags & RENAME_EXCHANGE) != 0 ? nullptr : to)
ESOX_REMOVAL_HOOK(unlink, (const char* path), (path), path_point(OpKind::kFileRemove, path, site),
                  AT_FDCWD, path)
ESOX_REMOVAL_HOOK(unlinkat, (int at, const char* path, int flags), (at, path, flags),
                  path_point(OpKind::kFileRemove, path, site), at, path)
ESOX_REMOVAL_HOOK(remove, (const char* path), (path), path_point(OpKind::kFileRemove, path, site),
                  AT_FDCWD, path)
ESOX_REMOVAL_HOOK(rmdir, (const char* path), (path), path_point(OpKind::kFileRemove, path, site),
                  AT_FDCWD, path)
ESOX_POINT_HOOK(int, link, (const char* from, const char* to), (from, to), noexcept,
                path_point(OpKind::kFileRename, to, site))
ESOX_POINT_HOOK(int, linkat, (int at, const char* from, int to_at, const char* to, int flags),
                (at, from, to_at, to, flags), noexcept, path_point(OpKind::kFileRename, to, site))
ESOX_POINT_HOOK(int, symlink, (const char* target, const char* path), (target, path), noexcept,
                path_point(OpKind::kFileRename, path, site))
ESOX_POINT_HOOK(int, symlinkat, (const char* target, int at, const char* path), (target, at, path),
                noexcept, path_point(OpKind::kFileRename, path, site))
ESOX_POINT_HOOK(int, mkdir, (const char* path, mode_t mode), (path, mode), noexcept,
                path_point(OpKind::kDirectoryMake, path, site))
ESOX_POINT_HOOK(int, mkdirat, (int at, const char* path, mode_t mode), (at, path, mode), noexcept,
                path_point(OpKind::kDirectoryMake, path, site))
// Its random name is not in the trace: it would differ between equal executions.
ESOX_POINT_HOOK(char*, mkdtemp, (char* path), (path), noexcept,
                path_point(OpKind::kDirectoryMake, path, site))

ESOX_POINT_HOOK(ssize_t, readlink, (const char* path, char* buffer, size_t size),
                (path, buffer, size), noexcept, path_point(OpKind::kFileStat, path, site))
ESOX_POINT_HOOK(ssize_t, readlinkat, (int at, const char* path, char* buffer, size_t size),
                (at, path, buffer, size), noexcept, path_point(OpKind::kFileStat, path, site))
ESOX_POINT_HOOK(ssize_t, __readlink_chk, (const char* path, char* buffer, size_t size, size_t room),
                (path, buffer, size, room), , path_point(OpKind::kFileStat, path, site))
ESOX_POINT_HOOK(ssize_t, __readlinkat_chk,
                (int at, const char* path, char* buffer, size_t size, size_t room),
                (at, path, buffer, size, room), , path_point(OpKind::kFileStat, path, site))
ESOX_POINT_HOOK(char*, realpath, (const char* path, char* resolved), (path, resolved), noexcept,
                path_point(OpKind::kFileStat, path, site))
ESOX_POINT_HOOK(char*, __realpath_chk, (const char* path, char* resolved, size_t room),
                (path, resolved, room), , path_point(OpKind::kFileStat, path, site))

// --- Status ------------------------------------------------------------------------------------

ESOX_POINT_HOOK(int, access, (const char* path, int mode), (path, mode), noexcept,
                path_point(OpKind::kFileStat, path, site))
ESOX_POINT_HOOK(int, faccessat, (int at, const char* path, int mode, int flags),
                (at, path, mode, flags), noexcept, path_point(OpKind::kFileStat, path, site))

ESOX_POINT_HOOK(int, chmod, (const char* path, mode_t mode), (path, mode), noexcept,
                path_point(OpKind::kFileStat, path, site))
ESOX_POINT_HOOK(int, fchmod, (int fd, mode_t mode), (fd, mode), noexcept,
                file_point(OpKind::kFileStat, fd, site))
ESOX_POINT_HOOK(int, chown, (const char* path, uid_t owner, gid_t group), (path, owner, group),
                noexcept, path_point(OpKind::kFileStat, path, site))

// The hook of a call that fills in `status` of the file that the last arguments say.
#define ESOX_STATUS_HOOK(name, parameters, arguments, point, ...) \
  static ESOX_REAL(name);                                         \
  ESOX_STATUS_HOOK_AS(name, name, parameters, arguments, point, __VA_ARGS__)
#define ESOX_STATUS_HOOK_AS(hook, name, parameters, arguments, point, ...) \
  ESOX_HOOK int hook parameters noexcept {                                 \
    const uint64_t site = ESOX_SITE();                                     \
    point;                                                                 \
    const int result = real_##name arguments;                              \
    if (result == 0) show(status, __VA_ARGS__);                            \
    return result;                                                         \
  }
ESOX_STATUS_HOOK(stat, (const char* path, struct stat* status), (path, status),
                 path_point(OpKind::kFileStat, path, site), AT_FDCWD, path)
ESOX_STATUS_HOOK(stat64, (const char* path, struct stat64* status), (path, status),
                 path_point(OpKind::kFileStat, path, site), AT_FDCWD, path)
ESOX_STATUS_HOOK(lstat, (const char* path, struct stat* status), (path, status),
                 path_point(OpKind::kFileStat, path, site), AT_FDCWD, path)
ESOX_STATUS_HOOK(lstat64, (const char* path, struct stat64* status), (path, status),
                 path_point(OpKind::kFileStat, path, site), AT_FDCWD, path)
ESOX_STATUS_HOOK(fstat, (int fd, struct stat* status), (fd, status),
                 file_point(OpKind::kFileStat, fd, site), fd)
ESOX_STATUS_HOOK(fstat64, (int fd, struct stat64* status), (fd, status),
                 file_point(OpKind::kFileStat, fd, site), fd)
ESOX_STATUS_HOOK(fstatat, (int at, const char* path, struct stat* status, int flags),
                 (at, path, status, flags), path_point(OpKind::kFileStat, path, site), at, path)
ESOX_STATUS_HOOK(fstatat64, (int at, const char* path, struct stat64* status, int flags),
                 (at, path, status, flags), path_point(OpKind::kFileStat, path, site), at, path)
ESOX_STATUS_HOOK(statx, (int at, const char* path, int flags, unsigned mask, struct statx* status),
                 (at, path, flags, mask, status), path_point(OpKind::kFileStat, path, site), at,
                 path)

// What programs call that were built with a C library before 2.33; `version` is always the same.
ESOX_STATUS_HOOK_AS(__xstat, stat, (int /*version*/, const char* path, struct stat* status),
                    (path, status), path_point(OpKind::kFileStat, path, site), AT_FDCWD, path)
ESOX_STATUS_HOOK_AS(__xstat64, stat64, (int /*version*/, const char* path, struct stat64* status),
                    (path, status), path_point(OpKind::kFileStat, path, site), AT_FDCWD, path)
ESOX_STATUS_HOOK_AS(__lxstat, lstat, (int /*version*/, const char* path, struct stat* status),
                    (path, status), path_point(OpKind::kFileStat, path, site), AT_FDCWD, path)
ESOX_STATUS_HOOK_AS(__lxstat64, lstat64, (int /*version*/, const char* path, struct stat64* status),
                    (path, status), path_point(OpKind::kFileStat, path, site), AT_FDCWD, path)
ESOX_STATUS_HOOK_AS(__fxstat, fstat, (int /*version*/, int fd, struct stat* status), (fd, status),
                    file_point(OpKind::kFileStat, fd, site), fd)
ESOX_STATUS_HOOK_AS(__fxstat64, fstat64, (int /*version*/, int fd, struct stat64* status),
                    (fd, status), file_point(OpKind::kFileStat, fd, site), fd)
ESOX_STATUS_HOOK_AS(__fxstatat, fstatat,
                    (int /*version*/, int at, const char* path, struct stat* status, int flags),
                    (at, path, status, flags), path_point(OpKind::kFileStat, path, site), at, path)
ESOX_STATUS_HOOK_AS(__fxstatat64, fstatat64,
                    (int /*version*/, int at, const char* path, struct stat64* status, int flags),
                    (at, path, status, flags), path_point(OpKind::kFileStat, path, site), at, path)

ESOX_REAL(utimensat);
ESOX_REAL(futimens);

ESOX_HOOK int utimensat(int at, const char* path, const timespec wanted[2], int flags) noexcept {
  path_point(OpKind::kFileStat, path, ESOX_SITE());
  const KernelTimes kernel(wanted);
  return real_utimensat(at, path, wanted != nullptr ? kernel.times : nullptr, flags);
}

ESOX_HOOK int futimens(int fd, const timespec wanted[2]) noexcept {
  file_point(OpKind::kFileStat, fd, ESOX_SITE());
  const KernelTimes kernel(wanted);
  return real_futimens(fd, wanted != nullptr ? kernel.times : nullptr);
}

ESOX_HOOK int utime(const char* path, const utimbuf* wanted) noexcept {
  path_point(OpKind::kFileStat, path, ESOX_SITE());
  if (wanted == nullptr) return real_utimensat(AT_FDCWD, path, nullptr, 0);
  const timespec times[2] = {{wanted->actime, 0}, {wanted->modtime, 0}};
  return real_utimensat(AT_FDCWD, path, KernelTimes(times).times, 0);
}

ESOX_HOOK int utimes(const char* path, const timeval wanted[2]) noexcept {
  path_point(OpKind::kFileStat, path, ESOX_SITE());
  if (wanted == nullptr) return real_utimensat(AT_FDCWD, path, nullptr, 0);
  const timespec times[2] = {{wanted[0].tv_sec, wanted[0].tv_usec * 1000},
                             {wanted[1].tv_sec, wanted[1].tv_usec * 1000}};
  return real_utimensat(AT_FDCWD, path, KernelTimes(times).times, 0);
}
