// SPDX-License-Identifier: Apache-2.0
// Locks on files: flock, lockf, and the locks of fcntl.
//
// A controlled thread never blocks in one: it tries, and if it is refused lets others run and tries
// again. Who holds a flock is kept in the model of locks, by file, so that a refused thread is not
// enabled before the holder unlocks or closes, and a deadlock through flock is found like any
// other. The real lock decides all the same: descriptors of one open file share a lock, and the
// model does not know which do. The locks of lockf and fcntl belong to processes (F_OFD_*: to open
// files) and byte ranges; whoever is refused one waits as for a lock outside control.
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <sys/file.h>
#include <unistd.h>

#include "preload/interpose/file_point.h"

namespace esox {
namespace {

using Fcntl = int (*)(int, int, ...);

ESOX_REAL(flock);
ESOX_REAL(lockf);
ESOX_REAL(lockf64);
ESOX_LISTED constinit VariadicReal<Fcntl> real_fcntl{"fcntl"};
ESOX_LISTED constinit VariadicReal<Fcntl> real_fcntl64{"fcntl64"};

bool refused(int result) {
  return result != 0 && (errno == EWOULDBLOCK || errno == EAGAIN || errno == EACCES);
}

// `attempt` asks without waiting, `wait` with; both return as the call does.
template <class Attempt, class Wait>
int lock_file(ControlledThread& t, int fd, LockMode mode, uint64_t site, Attempt attempt,
              Wait wait) {
  Proceed go = g_scheduler.point(t, OpKind::kFileLock, descriptor_object(fd), site);
  while (go == Proceed::kGo) {
    const int result = attempt();
    if (!refused(result)) return result;
    go = g_scheduler.refused(t, mode);
  }
  return wait();
}

int flock_controlled(ControlledThread& t, int fd, int operation, uint64_t site) {
  const uint64_t object = descriptor_object(fd);
  const int action = operation & ~LOCK_NB;
  const LockMode mode = action == LOCK_SH ? LockMode::kShared : LockMode::kExclusive;
  int result;
  if (action == LOCK_UN || (operation & LOCK_NB) != 0) {
    g_scheduler.point(t, OpKind::kFileLock, object, site);
    result = real_flock(fd, operation);
  } else {
    result = lock_file(
        t, fd, mode, site, [&] { return real_flock(fd, operation | LOCK_NB); },
        [&] { return real_flock(fd, operation); });
  }
  if (result != 0 || self() == nullptr || object == 0) return result;
  if (action == LOCK_UN) {
    g_scheduler.file_unlocked(t, object);
  } else {
    g_scheduler.holds(t, object, mode, site);
  }
  return result;
}

template <class Lockf, class Offset>
int lockf_hook(Lockf& real, int fd, int command, Offset size, uint64_t site) {
  ControlledThread* t = self();
  if (t != nullptr && command == F_LOCK) {
    return lock_file(
        *t, fd, LockMode::kExclusive, site, [&] { return real(fd, F_TLOCK, size); },
        [&] { return real(fd, F_LOCK, size); });
  }
  file_point(OpKind::kFileLock, fd, site);
  return real(fd, command, size);
}

int fcntl_hook(VariadicReal<Fcntl>& real, int fd, int command, void* argument, uint64_t site) {
  const auto call = [&](int wanted) { return real.get()(fd, wanted, argument); };
  switch (command) {
    case F_SETLKW:
    case F_OFD_SETLKW:
      if (ControlledThread* t = self()) {
        return lock_file(
            *t, fd, LockMode::kExclusive, site,
            [&] { return call(command == F_SETLKW ? F_SETLK : F_OFD_SETLK); },
            [&] { return call(command); });
      }
      return call(command);
    case F_SETLK:
    case F_OFD_SETLK:
      file_point(OpKind::kFileLock, fd, site);
      return call(command);
    case F_DUPFD:
    case F_DUPFD_CLOEXEC: {
      const int duplicate = call(command);
      note_duplicated(fd, duplicate);
      return duplicate;
    }
    default:
      return call(command);
  }
}

}  // namespace
}  // namespace esox

using namespace esox;

ESOX_HOOK int flock(int fd, int operation) noexcept {
  ControlledThread* t = self();
  if (t == nullptr) return real_flock(fd, operation);
  return flock_controlled(*t, fd, operation, ESOX_SITE());
}

ESOX_HOOK int lockf(int fd, int command, off_t size) {
  return lockf_hook(real_lockf, fd, command, size, ESOX_SITE());
}

ESOX_HOOK int lockf64(int fd, int command, off64_t size) {
  return lockf_hook(real_lockf64, fd, command, size, ESOX_SITE());
}

#define ESOX_FCNTL(name)                                                \
  ESOX_HOOK int name(int fd, int command, ...) {                        \
    va_list list;                                                       \
    va_start(list, command);                                            \
    void* argument = va_arg(list, void*);                               \
    va_end(list);                                                       \
    return fcntl_hook(real_##name, fd, command, argument, ESOX_SITE()); \
  }
ESOX_FCNTL(fcntl)
ESOX_FCNTL(fcntl64)
