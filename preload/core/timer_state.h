// SPDX-License-Identifier: Apache-2.0
// What the kernel tells of a process's timers, by raw system calls.
#pragma once

#include <fcntl.h>

#include "preload/core/raw.h"

namespace esox {

inline constexpr int kIntervalTimers = 3;  // ITIMER_REAL, _VIRTUAL, _PROF

// Those made by timer_create.
inline bool has_posix_timers() {
  const long fd =
      raw::call(SYS_openat, AT_FDCWD, raw::address("/proc/self/timers"), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return false;
  char byte;
  const long got = raw::call(SYS_read, fd, raw::address(&byte), 1);
  raw::call(SYS_close, fd);
  return got > 0;
}

}  // namespace esox
