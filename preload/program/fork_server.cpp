// SPDX-License-Identifier: Apache-2.0
#include "preload/program/fork_server.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "preload/core/control.h"
#include "preload/core/proc_text.h"
#include "preload/program/obstacles.h"
#include "preload/scheduler/scheduler.h"

namespace esox {
namespace {

constexpr size_t kMaskBytes = 8;  // of the kernel's signal sets

// As the kernel has it.
struct Disposition {
  uint64_t handler;
  uint64_t flags;
  uint64_t restorer;
  uint64_t mask;
};

bool g_forked = false;  // this process is at or behind its fork point
FilePlaces g_places;

// While the program stands at its fork point none of its signal handlers may run, and its children
// must stay until they are reaped, whatever it thinks of SIGCHLD. Both are undone in the children.
struct Quiet {
  uint64_t mask = 0;
  Disposition child_ended{};

  void begin() {
    const uint64_t all = ~uint64_t{0};
    const Disposition none{};
    raw::call(SYS_rt_sigprocmask, SIG_SETMASK, raw::address(&all), raw::address(&mask), kMaskBytes);
    raw::call(SYS_rt_sigaction, SIGCHLD, raw::address(&none), raw::address(&child_ended),
              kMaskBytes);
  }
  void end() const {
    raw::call(SYS_rt_sigaction, SIGCHLD, raw::address(&child_ended), 0, kMaskBytes);
    raw::call(SYS_rt_sigprocmask, SIG_SETMASK, raw::address(&mask), 0, kMaskBytes);
  }
};

// True while there is a child, of any kind; `ended` if one of them has come to its end.
bool find_child(int flags, siginfo_t& info) {
  info = siginfo_t{};
  return raw::call(SYS_waitid, P_ALL, 0, raw::address(&info), flags, 0) == 0;
}

// Their numbers are nobody else's, since they are ours and not reaped. False: there are none, or
// the kernel does not tell.
bool kill_children() {
  const long fd = raw::call(SYS_openat, AT_FDCWD, raw::address("/proc/thread-self/children"),
                            O_RDONLY | O_CLOEXEC);
  if (fd < 0) return false;
  char text[4096];
  const long size = raw::call(SYS_read, fd, raw::address(text), sizeof text - 1);
  raw::call(SYS_close, fd);
  text[size > 0 ? size : 0] = '\0';
  bool any = false;
  for (const char* at = text; *at >= '0' && *at <= '9'; at += *at == ' ' ? 1 : 0) {
    const auto child = static_cast<long>(take_number(at, 10));
    if (child > 1) any |= raw::call(SYS_kill, child, SIGKILL) == 0;
  }
  return any;
}

// What the last execution left: its own process, and those that it started, which the kernel gave
// to us. Killing one may give us more.
void reap_all() {
  siginfo_t info;
  while (find_child(WEXITED | WNOHANG, info)) {
    if (info.si_pid != 0) continue;
    if (!kill_children()) return;
    find_child(WEXITED, info);
  }
}

void begin_child(pid_t parent, const Quiet& quiet) {
  raw::call(SYS_prctl, PR_SET_PDEATHSIG, SIGKILL);
  if (raw::call(SYS_getppid) != parent) raw::call(SYS_exit_group, 126);
  g_scheduler.begin_program_again();
  quiet.end();
}

void await_end(pid_t child) {
  ProgramForks& forks = block().forks;
  siginfo_t info{};
  while (raw::call(SYS_waitid, P_PID, child, raw::address(&info), WEXITED | WNOWAIT, 0) == -EINTR) {
  }
  forks.status_code = info.si_code;
  forks.status = info.si_status;
}

// Returns in each child.
void serve(const Quiet& quiet) {
  ProgramForks& forks = block().forks;
  const auto self = static_cast<pid_t>(raw::call(SYS_getpid));
  raw::call(SYS_prctl, PR_SET_CHILD_SUBREAPER, 1);
  for (uint32_t done = forks.ended.load();;) {
    while (forks.asked.load() == done) raw::futex_wait(&forks.asked, done);
    done = forks.asked.load();
    reap_all();
    if (done == kNoMoreForks) raw::call(SYS_exit_group, 0);
    g_places.set_back();
    const pid_t child = _Fork();  // as fork(), without handlers that the program has for it
    if (child == 0) return begin_child(self, quiet);
    forks.error = child < 0 ? errno : 0;
    forks.child.store(child < 0 ? 0 : child);
    if (child > 0) await_end(child);
    forks.ended.store(done);
    raw::futex_wake(&forks.ended, INT32_MAX);
  }
}

void stand_at_fork_point(const Obstacle& obstacle) {
  ProgramForks& forks = block().forks;
  g_forked = true;
  Quiet quiet;
  quiet.begin();
  forks.obstacle = obstacle.kind;
  forks.obstacle_fd = obstacle.fd;
  forks.ready.store(obstacle.kind == ForkObstacle::kNone ? 1 : 2);
  raw::futex_wake(&forks.ready, INT32_MAX);
  serve(quiet);
}

}  // namespace

void fork_before_first_thread() {
  if (g_forked || block().forks.point != ForkPoint::kFirstThread) return;
  const Inside inside;
  stand_at_fork_point(find_obstacle(g_places));
}

void fork_at_start() {
  if (block().forks.point != ForkPoint::kStart) return;
  stand_at_fork_point({});
}

}  // namespace esox
