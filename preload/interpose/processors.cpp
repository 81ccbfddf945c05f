// SPDX-License-Identifier: Apache-2.0
// How large the machine is and how busy: the same on every machine and beside whatever else runs.
//
// A server sizes itself by its processors, and a hunt with several workers binds each server to
// one. So all are told of two, 4 GiB of memory of which half is free, and file systems half full.
// What changes from moment to moment (load, the processor a thread is on) is constant for
// controlled threads.
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statfs.h>
#include <sys/statvfs.h>
#include <sys/sysinfo.h>
#include <unistd.h>

#include "preload/core/control.h"
#include "preload/core/real.h"
#include "preload/scheduler/virtual_clock.h"

namespace esox {
namespace {

constexpr int kProcessors = 2;
constexpr long kMemoryPages = 1 << 20;
constexpr long kPageBytes = 4096;
constexpr long kTemporary = 0x01021994;  // TMPFS_MAGIC: what a snapshot's files lie on
constexpr uint64_t kBlocks = uint64_t{1} << 28;
constexpr uint64_t kInodes = uint64_t{1} << 24;
constexpr long kLongestName = 255;

ESOX_REAL(sysconf);
ESOX_REAL(get_nprocs);
ESOX_REAL(get_nprocs_conf);
ESOX_REAL(get_phys_pages);
ESOX_REAL(get_avphys_pages);
ESOX_REAL(sched_getaffinity);
ESOX_REAL(pthread_getaffinity_np);
ESOX_REAL(sched_getcpu);
ESOX_REAL(getcpu);
ESOX_REAL(sysinfo);
ESOX_REAL(getloadavg);

// The real call has said whether it can.
int show_processors(int result, size_t bytes, cpu_set_t* set) {
  if (result != 0 || !attended()) return result;
  CPU_ZERO_S(bytes, set);
  for (int i = 0; i < kProcessors; ++i) CPU_SET_S(i, bytes, set);
  return result;
}

void show_space(auto& status) {
  status.f_bsize = status.f_frsize = kPageBytes;
  status.f_blocks = kBlocks;
  status.f_bfree = status.f_bavail = kBlocks / 2;
  status.f_files = kInodes;
  status.f_ffree = kInodes / 2;
}

void show(struct statfs* status) {
  show_space(*status);
  status->f_type = kTemporary;
  status->f_flags &= ST_RDONLY;
  status->f_namelen = kLongestName;
  memset(&status->f_fsid, 0, sizeof status->f_fsid);
}

void show(struct statvfs* status) {
  show_space(*status);
  status->f_favail = status->f_ffree;
  status->f_flag &= ST_RDONLY;
  status->f_namemax = kLongestName;
  status->f_fsid = 0;
}

static_assert(sizeof(struct statfs) == sizeof(struct statfs64));
static_assert(sizeof(struct statvfs) == sizeof(struct statvfs64));
void show(struct statfs64* status) {
  show(reinterpret_cast<struct statfs*>(status));
}
void show(struct statvfs64* status) {
  show(reinterpret_cast<struct statvfs*>(status));
}

}  // namespace
}  // namespace esox

using namespace esox;

ESOX_HOOK long sysconf(int name) noexcept {
  if (attended()) {
    if (name == _SC_NPROCESSORS_ONLN || name == _SC_NPROCESSORS_CONF) return kProcessors;
    if (name == _SC_PHYS_PAGES) return kMemoryPages;
    if (name == _SC_AVPHYS_PAGES) return kMemoryPages / 2;
  }
  return real_sysconf(name);
}

ESOX_HOOK int get_nprocs() noexcept {
  return attended() ? kProcessors : real_get_nprocs();
}

ESOX_HOOK int get_nprocs_conf() noexcept {
  return attended() ? kProcessors : real_get_nprocs_conf();
}

ESOX_HOOK long get_phys_pages() noexcept {
  return attended() ? kMemoryPages : real_get_phys_pages();
}

ESOX_HOOK long get_avphys_pages() noexcept {
  return attended() ? kMemoryPages / 2 : real_get_avphys_pages();
}

ESOX_HOOK int sched_getaffinity(pid_t process, size_t bytes, cpu_set_t* set) noexcept {
  return show_processors(real_sched_getaffinity(process, bytes, set), bytes, set);
}

ESOX_HOOK int pthread_getaffinity_np(pthread_t thread, size_t bytes, cpu_set_t* set) noexcept {
  return show_processors(real_pthread_getaffinity_np(thread, bytes, set), bytes, set);
}

ESOX_HOOK int sched_getcpu() noexcept {
  return self() != nullptr ? 0 : real_sched_getcpu();
}

ESOX_HOOK int getcpu(unsigned* cpu, unsigned* node) noexcept {
  if (self() == nullptr) return real_getcpu(cpu, node);
  if (cpu != nullptr) *cpu = 0;
  if (node != nullptr) *node = 0;
  return 0;
}

ESOX_HOOK int sysinfo(struct sysinfo* info) noexcept {
  if (!attended()) return real_sysinfo(info);
  memset(info, 0, sizeof *info);
  info->uptime = kMonotonicBase_ns / 1'000'000'000;
  info->totalram = kMemoryPages;
  info->freeram = kMemoryPages / 2;
  info->procs = 1;
  info->mem_unit = kPageBytes;
  return 0;
}

ESOX_HOOK int getloadavg(double* load, int count) noexcept {
  if (!attended()) return real_getloadavg(load, count);
  const int told = count < 3 ? count : 3;
  for (int i = 0; i < told; ++i) load[i] = 0;
  return told;
}

// The hook of a call that fills in `status` of a file system.
#define ESOX_SPACE_HOOK(name, parameters, arguments) \
  static ESOX_REAL(name);                            \
  ESOX_HOOK int name parameters noexcept {           \
    const int result = real_##name arguments;        \
    if (result == 0 && attended()) show(status);     \
    return result;                                   \
  }
ESOX_SPACE_HOOK(statfs, (const char* path, struct statfs* status), (path, status))
ESOX_SPACE_HOOK(statfs64, (const char* path, struct statfs64* status), (path, status))
ESOX_SPACE_HOOK(fstatfs, (int fd, struct statfs* status), (fd, status))
ESOX_SPACE_HOOK(fstatfs64, (int fd, struct statfs64* status), (fd, status))
ESOX_SPACE_HOOK(statvfs, (const char* path, struct statvfs* status), (path, status))
ESOX_SPACE_HOOK(statvfs64, (const char* path, struct statvfs64* status), (path, status))
ESOX_SPACE_HOOK(fstatvfs, (int fd, struct statvfs* status), (fd, status))
ESOX_SPACE_HOOK(fstatvfs64, (int fd, struct statvfs64* status), (fd, status))
