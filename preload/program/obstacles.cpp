// SPDX-License-Identifier: Apache-2.0
#include "preload/program/obstacles.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "preload/core/control.h"
#include "preload/core/directory.h"
#include "preload/core/proc_text.h"
#include "preload/core/raw.h"
#include "preload/core/timer_state.h"

namespace esox {
namespace {

constexpr int kStandardDescriptors = 3;  // /dev/null and the harness's, the same for all children

// Calls take(number) for every entry of the folder whose name is one. False: it cannot be read.
bool for_each_number(const char* path, auto take) {
  DirectoryList list(path);
  if (!list.opened()) return false;
  while (const char* name = list.next()) {
    if (*name < '0' || *name > '9') continue;
    const auto number = static_cast<int>(parse_number(name));
    if (number != list.fd()) take(number);
  }
  return true;
}

// A folder read half may be one's own afterwards, a device remembers nothing of its reader.
bool shareable(int fd, FilePlaces& places) {
  struct stat about {};
  if (raw::call(SYS_fstat, fd, raw::address(&about)) != 0) return true;
  if (S_ISCHR(about.st_mode)) return true;
  if (!S_ISREG(about.st_mode) && !S_ISDIR(about.st_mode)) return false;
  const long flags = raw::call(SYS_fcntl, fd, F_GETFL);
  if ((flags & O_PATH) != 0) return true;
  if ((flags & O_ACCMODE) != O_RDONLY) return false;
  const long place = raw::call(SYS_lseek, fd, 0, SEEK_CUR);
  return place >= 0 && places.note(fd, place);
}

int unshareable_descriptor(FilePlaces& places) {
  int found = -1;
  const bool read = for_each_number("/proc/self/fd", [&](int fd) {
    if (fd >= kStandardDescriptors && found < 0 && !shareable(fd, places)) found = fd;
  });
  return read ? found : 0;
}

// "7f..-7f.. rw-s ..."; the control block is the one mapping that is to be shared.
bool has_shared_memory() {
  const auto own = reinterpret_cast<uint64_t>(&block());
  bool found = false;
  const bool read = for_each_line("/proc/self/maps", [&](const char* line) {
    const char* at = line;
    const uint64_t begin = take_number(at, 16);
    ++at;
    take_number(at, 16);
    if (*at == ' ' && at[2] == 'w' && at[4] == 's' && begin != own) found = true;
  });
  return found || !read;
}

bool has_children() {
  siginfo_t any{};
  return raw::call(SYS_waitid, P_ALL, 0, raw::address(&any), WEXITED | WNOHANG | WNOWAIT, 0) == 0;
}

bool has_timers() {
  for (int i = 0; i < kIntervalTimers; ++i) {
    itimerval timer{};
    raw::call(SYS_getitimer, i, raw::address(&timer));
    if (timer.it_value.tv_sec != 0 || timer.it_value.tv_usec != 0) return true;
  }
  return has_posix_timers();
}

bool has_other_threads() {
  uint32_t threads = 0;
  return !for_each_number("/proc/self/task", [&](int) { ++threads; }) || threads != 1;
}

}  // namespace

bool FilePlaces::note(int fd, int64_t place) {
  if (count_ == kMost) return false;
  places_[count_++] = {fd, place};
  return true;
}

void FilePlaces::set_back() const {
  for (uint32_t i = 0; i < count_; ++i) {
    raw::call(SYS_lseek, places_[i].fd, places_[i].place, SEEK_SET);
  }
}

Obstacle find_obstacle(FilePlaces& places) {
  if (has_other_threads()) return {ForkObstacle::kThreads, -1};
  if (has_children()) return {ForkObstacle::kChildren, -1};
  if (has_timers()) return {ForkObstacle::kTimers, -1};
  if (has_shared_memory()) return {ForkObstacle::kSharedMemory, -1};
  const int fd = unshareable_descriptor(places);
  if (fd >= 0) return {ForkObstacle::kDescriptor, fd};
  return {};
}

}  // namespace esox
