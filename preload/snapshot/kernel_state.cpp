// SPDX-License-Identifier: Apache-2.0
#include "preload/snapshot/kernel_state.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>

#include <algorithm>

#include "preload/core/directory.h"
#include "preload/core/raw.h"
#include "preload/core/timer_state.h"
#include "preload/snapshot/refusal.h"

namespace esox {
namespace {

bool status_of(int fd, struct stat& status) {
  return raw::call(SYS_fstat, fd, raw::address(&status)) == 0;
}

bool has_children() {
  siginfo_t info;
  return raw::call(SYS_waitid, P_ALL, 0, raw::address(&info), WEXITED | WNOHANG | WNOWAIT | __WALL,
                   0) != -ECHILD;
}

void stop_interval_timers() {
  const itimerval none{};
  for (int i = 0; i < kIntervalTimers; ++i) raw::call(SYS_setitimer, i, raw::address(&none), 0);
}

constexpr const char* kLastThread = "/proc/sys/kernel/ns_last_pid";

uint32_t last_thread_number() {
  const long fd = raw::call(SYS_openat, AT_FDCWD, raw::address(kLastThread), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return 0;
  char text[16] = {};
  raw::call(SYS_read, fd, raw::address(text), sizeof text - 1);
  raw::call(SYS_close, fd);
  return parse_number(text);
}

void set_last_thread_number(uint32_t number) {
  char text[16];
  size_t at = sizeof text;
  for (; number != 0; number /= 10) text[--at] = static_cast<char>('0' + number % 10);
  const long fd = raw::call(SYS_openat, AT_FDCWD, raw::address(kLastThread), O_WRONLY | O_CLOEXEC);
  if (fd < 0) return;
  raw::call(SYS_write, fd, raw::address(text + at), static_cast<long>(sizeof text - at));
  raw::call(SYS_close, fd);
}

}  // namespace

void discard_signals() {
  uint64_t all = ~uint64_t{0} & ~(uint64_t{1} << (kParkSignal - 1));
  const timespec none{};
  while (raw::call(SYS_rt_sigtimedwait, raw::address(&all), 0, raw::address(&none), sizeof all) >
         0) {
  }
}

bool KernelState::note(const DescriptorTable& descriptors, int passing, uint32_t highest_thread) {
  break_ = raw::call(SYS_brk, 0);
  for (int i = 1; i <= kSignals; ++i) {
    raw::call(SYS_rt_sigaction, i, 0, raw::address(&dispositions_[i]), sizeof(uint64_t));
  }
  umask_ = raw::call(SYS_umask, 0);
  raw::call(SYS_umask, umask_);
  const uint32_t last = last_thread_number();
  last_thread_ = std::max(last, highest_thread);
  if (last != last_thread_) set_last_thread_number(last_thread_);
  const long length = raw::call(SYS_getcwd, raw::address(folder_), sizeof folder_);
  return length > 0 && note_open(descriptors, passing);
}

bool KernelState::note_open(const DescriptorTable& descriptors, int passing) {
  DirectoryList list("/proc/self/fd");
  if (!list.opened()) return false;
  open_count_ = left_alone_count_ = 0;
  while (const char* name = list.next()) {
    if (name[0] < '0' || name[0] > '9') continue;
    const int fd = static_cast<int>(parse_number(name));
    if (fd == list.fd() || fd == passing) continue;
    if (open_count_ == kMaxOpen) return false;
    uint32_t at = open_count_++;
    for (; at > 0 && open_[at - 1] > fd; --at) open_[at] = open_[at - 1];
    open_[at] = fd;
    if (fd >= kSnapshotFd || descriptors.has(fd)) continue;
    struct stat status;
    if (left_alone_count_ == kMaxLeftAlone || !status_of(fd, status)) return false;
    left_alone_[left_alone_count_++] = {fd, status.st_dev, status.st_ino};
  }
  return true;
}

bool KernelState::was_open(int fd) const {
  for (uint32_t i = 0; i < open_count_; ++i) {
    if (open_[i] == fd) return true;
  }
  return false;
}

void KernelState::close_others() const {
  long from = 0;
  for (uint32_t i = 0; i < open_count_; ++i) {
    if (open_[i] > from) raw::call(SYS_close_range, from, open_[i] - 1, 0);
    from = open_[i] + 1;
  }
  raw::call(SYS_close_range, from, static_cast<long>(UINT32_MAX), 0);
}

bool KernelState::left_alone_are_the_same(SnapshotReply& reply) const {
  for (uint32_t i = 0; i < left_alone_count_; ++i) {
    const LeftAlone& one = left_alone_[i];
    struct stat status = {};
    if (status_of(one.fd, status) && status.st_dev == one.device && status.st_ino == one.inode) {
      continue;
    }
    refuse(reply, SnapshotStep::kDescriptors, EBADF, "another file at descriptor ")
        .number(static_cast<uint64_t>(one.fd));
    return false;
  }
  return true;
}

bool KernelState::bring_back(SnapshotReply& reply) const {
  char folder[kMaxSnapshotPath];
  const long length = raw::call(SYS_getcwd, raw::address(folder), sizeof folder);
  if (length <= 0 || strcmp(folder, folder_) != 0) {
    refuse(reply, SnapshotStep::kNestFiles, ENOTSUP, "the working folder is another one");
    return false;
  }
  if (has_posix_timers() || has_children()) {
    refuse(reply, SnapshotStep::kTimers, ENOTSUP, "it has timers or processes of its own");
    return false;
  }
  if (raw::call(SYS_brk, 0) != break_ && raw::call(SYS_brk, break_) != break_) {
    refuse(reply, SnapshotStep::kMemory, ENOMEM, "the program break cannot be brought back");
    return false;
  }
  stop_interval_timers();
  discard_signals();
  for (int i = 1; i <= kSignals; ++i) {
    Disposition now;
    raw::call(SYS_rt_sigaction, i, 0, raw::address(&now), sizeof now.mask);
    if (memcmp(&now, &dispositions_[i], sizeof now) == 0) continue;
    raw::call(SYS_rt_sigaction, i, raw::address(&dispositions_[i]), 0, sizeof now.mask);
  }
  raw::call(SYS_umask, umask_);
  if (last_thread_number() != last_thread_) set_last_thread_number(last_thread_);
  close_others();
  return left_alone_are_the_same(reply);
}

}  // namespace esox
