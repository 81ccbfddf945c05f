// SPDX-License-Identifier: Apache-2.0
#include "preload/snapshot/namespaces.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/sched.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include <atomic>

#include "preload/core/raw.h"
#include "preload/snapshot/refusal.h"

namespace esox {
namespace {

constexpr size_t kStackBytes = 16384;
constexpr int64_t kBirthLimit_ns = 2'000'000'000;

struct KernelSigaction {
  uint64_t handler, flags, restorer, mask;
};

// Of the first process of a nest. It shares our memory: its stack is here.
struct Birth {
  alignas(64) char stack[kStackBytes];
  std::atomic<uint32_t> ready;  // futex: 1 it waits, 2 it failed
  long error;
};
Birth g_births[kMaxNests];

// No thread-local storage of its own, so nothing of libc; all signals are blocked.
[[noreturn]] void live_as_first_process(Birth& birth) {
  raw::call(SYS_prctl, PR_SET_PDEATHSIG, SIGKILL);
  // Its own copies: they would keep connections open, and locks held, longer than the template.
  raw::call(SYS_close_range, 0, static_cast<long>(UINT32_MAX), 0);
  // Orphans of its children come to it; ignoring their end, the kernel takes them off at once.
  const KernelSigaction ignore{reinterpret_cast<uint64_t>(SIG_IGN), 0, 0, 0};
  raw::call(SYS_rt_sigaction, SIGCHLD, raw::address(&ignore), 0, sizeof ignore.mask);
  const char* proc = "proc";
  const long mounted = raw::call(SYS_mount, raw::address(proc), raw::address("/proc"),
                                 raw::address(proc), MS_NOSUID | MS_NODEV | MS_NOEXEC);
  birth.error = mounted;
  birth.ready.store(mounted < 0 ? 2 : 1);
  raw::futex_wake(&birth.ready, 1);
  if (mounted < 0) raw::call(SYS_exit, 1);
  while (true) raw::call(SYS_pause);
}

// A process with our memory, in a PID namespace of its own. Its pidfd, or -errno.
long make_first_process(Birth& birth) {
  int pidfd = -1;
  clone_args arguments{};
  arguments.flags = CLONE_VM | CLONE_NEWPID | CLONE_PIDFD;
  arguments.pidfd = reinterpret_cast<uint64_t>(&pidfd);
  arguments.stack = reinterpret_cast<uint64_t>(birth.stack);
  arguments.stack_size = sizeof birth.stack;
  birth.ready.store(0);
  long result;
  asm volatile(
      "syscall\n\t"
      "testq %%rax, %%rax\n\t"
      "jnz 1f\n\t"
      "movq %[birth], %%rdi\n\t"
      "xorl %%ebp, %%ebp\n\t"
      "call *%[live]\n"
      "1:"
      : "=a"(result)
      : "a"(SYS_clone3), "D"(&arguments),
        "S"(sizeof arguments), [birth] "r"(&birth), [live] "r"(&live_as_first_process)
      : "rcx", "r11", "memory");
  return result < 0 ? result : pidfd;
}

long open_path(const char* path, int flags) {
  return raw::call(SYS_openat, AT_FDCWD, raw::address(path), flags | O_CLOEXEC);
}

void close_if_open(long fd) {
  if (fd >= 0) raw::call(SYS_close, fd);
}

}  // namespace

void Nests::forget(bool closed) {
  for (Nest& nest : nests_) {
    if (!nest.made) continue;
    if (!closed) close_if_open(nest.first_process);
    if (!closed) close_if_open(nest.view);
    nest = Nest{};
  }
  if (!closed) close_if_open(home_view_);
  if (!closed) close_if_open(home_processes_);
  current_ = kNowhere;
  home_view_ = home_processes_ = -1;
}

// Namespaces are made from the template's own ones: a PID namespace cannot be made while children
// would be born elsewhere, and a view made from another nest's would show that nest's files.
bool Nests::go_home(SnapshotReply& reply) {
  if (home_view_ < 0) {
    home_view_ = open_path("/proc/self/ns/mnt", O_RDONLY);
    home_processes_ = open_path("/proc/self/ns/pid", O_RDONLY);
    if (home_view_ < 0 || home_processes_ < 0) {
      refuse(reply, SnapshotStep::kNestProcesses, ENOENT, "/proc/self/ns cannot be opened");
      return false;
    }
    return true;
  }
  if (current_ == kNowhere) return true;
  const long view = raw::call(SYS_setns, home_view_, CLONE_NEWNS);
  const long processes = raw::call(SYS_setns, home_processes_, CLONE_NEWPID);
  current_ = kNowhere;
  if (view == 0 && processes == 0) return true;
  refuse(reply, SnapshotStep::kNestProcesses, view < 0 ? view : processes,
         "the template cannot go back to its own namespaces");
  return false;
}

bool Nests::make_view(const NestRequest& request, Nest& nest, SnapshotReply& reply) {
  long result = raw::call(SYS_unshare, CLONE_NEWNS);
  if (result < 0) {
    refuse(reply, SnapshotStep::kNestFiles, result, "no mount namespace (unshare) for a child");
    return false;
  }
  if (request.in_place == 0) {
    result =
        raw::call(SYS_mount, raw::address(request.from), raw::address(request.onto), 0, MS_BIND);
    if (result < 0) {
      refuse(reply, SnapshotStep::kNestFiles, result, "a child's files cannot be put at ")
          .text(request.onto);
      return false;
    }
  }
  memcpy(nest.folder, request.folder, sizeof nest.folder);
  result = raw::call(SYS_chdir, raw::address(nest.folder));
  if (result < 0) {
    refuse(reply, SnapshotStep::kNestFiles, result, "a child's files have no folder ")
        .text(nest.folder);
    return false;
  }
  nest.view = open_path("/proc/self/ns/mnt", O_RDONLY);
  return true;
}

bool Nests::make_processes(uint32_t number, SnapshotReply& reply) {
  Birth& birth = g_births[number];
  const long pidfd = make_first_process(birth);
  if (pidfd < 0) {
    refuse(reply, SnapshotStep::kNestProcesses, pidfd, "no PID namespace for a child");
    return false;
  }
  nests_[number].first_process = pidfd;
  const int64_t until_ns = raw::now_ns(CLOCK_MONOTONIC) + kBirthLimit_ns;
  while (birth.ready.load() == 0 && raw::now_ns(CLOCK_MONOTONIC) < until_ns) {
    raw::futex_wait(&birth.ready, uint32_t{0}, kBirthLimit_ns);
  }
  if (birth.ready.load() == 1) return true;
  refuse(reply, SnapshotStep::kNestProcesses, birth.error,
         "the /proc of a child cannot be mounted (a container that hides parts of /proc?)");
  return false;
}

bool Nests::make(const NestRequest& request, SnapshotReply& reply) {
  Nest& nest = nests_[request.nest];
  if (!go_home(reply)) return false;
  if (!make_view(request, nest, reply) || !make_processes(request.nest, reply)) return false;
  nest.made = true;
  const long entered = raw::call(SYS_setns, nest.first_process, CLONE_NEWPID);
  if (entered < 0) {
    refuse(reply, SnapshotStep::kNestProcesses, entered, "a child's PID namespace is closed to us");
    return false;
  }
  current_ = request.nest;
  return true;
}

bool Nests::enter(uint32_t number, SnapshotReply& reply) {
  if (number >= kMaxNests || !nests_[number].made) {
    refuse(reply, SnapshotStep::kNestProcesses, EINVAL, "there is no such nest");
    return false;
  }
  int status = 0;
  const long reaped = reap(number, status);
  if (reaped < 0) {
    refuse(reply, SnapshotStep::kForkProcess, reaped, "the nest's last child still lives");
    return false;
  }
  if (current_ == number) return true;
  const Nest& nest = nests_[number];
  long result = raw::call(SYS_setns, nest.view, CLONE_NEWNS);
  if (result == 0) result = raw::call(SYS_chdir, raw::address(nest.folder));
  if (result == 0) result = raw::call(SYS_setns, nest.first_process, CLONE_NEWPID);
  if (result < 0) {
    refuse(reply, SnapshotStep::kNestProcesses, result, "the nest cannot be entered");
    return false;
  }
  current_ = number;
  return true;
}

long Nests::reap(uint32_t number, int& status) {
  Nest& nest = nests_[number];
  if (nest.child <= 0) return 0;
  const long result = raw::call(SYS_wait4, nest.child, raw::address(&status), WNOHANG | __WALL, 0);
  if (result == 0) return -EAGAIN;
  nest.child = 0;
  return result < 0 ? result : 0;
}

// Until it is reaped its id is nobody else's.
long Nests::end_child(uint32_t number) {
  Nest& nest = nests_[number];
  if (nest.child <= 1) return -ESRCH;
  const long sent = raw::call(SYS_kill, nest.child, SIGKILL);
  if (sent < 0) return sent;
  const long ended = raw::call(SYS_wait4, nest.child, 0, __WALL, 0);
  nest.child = 0;
  return ended < 0 ? ended : 0;
}

}  // namespace esox
