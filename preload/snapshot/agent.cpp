// SPDX-License-Identifier: Apache-2.0
#include "preload/snapshot/agent.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/sched.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/time.h>
#include <sys/wait.h>

#include "preload/core/control.h"
#include "preload/core/directory.h"
#include "preload/core/real.h"
#include "preload/core/timer_state.h"
#include "preload/scheduler/scheduler.h"
#include "preload/snapshot/call_number.h"
#include "preload/snapshot/channel.h"
#include "preload/snapshot/descriptors.h"
#include "preload/snapshot/memory.h"
#include "preload/snapshot/namespaces.h"
#include "preload/snapshot/park.h"
#include "preload/snapshot/refusal.h"
#include "preload/snapshot/rewind.h"
#include "preload/snapshot/shared_files.h"

namespace esox {
namespace {

constexpr int64_t kSecond_ns = 1'000'000'000;
constexpr int64_t kFreeIdLimit_ns = 5 * kSecond_ns;

using SigactionFunction = int (*)(int, const struct sigaction*, struct sigaction*);
using MaskFunction = int (*)(int, const sigset_t*, sigset_t*);
ESOX_LISTED constinit Real<SigactionFunction> real_sigaction{"sigaction"};
ESOX_LISTED constinit Real<MaskFunction> real_pthread_sigmask{"pthread_sigmask"};
ESOX_LISTED constinit Real<MaskFunction> real_sigprocmask{"sigprocmask"};

bool g_listening = false;  // there is a channel

// All that the agent knows; lives on in children, which may become templates in turn.
struct Agent {
  ThreadImage main;
  ParkedThreads threads;
  DescriptorTable descriptors;
  Nests nests;
  RestorePoint life;  // in serve(), which lasts as long as the template
  itimerval timers[kIntervalTimers];
  int64_t parked_realtime_ns;
  int64_t parked_monotonic_ns;
};
Agent g_agent;

// --- Parking -----------------------------------------------------------------------------------

bool capture_process(SnapshotReply& reply) {
  if (has_posix_timers()) {
    refuse(reply, SnapshotStep::kTimers, ENOTSUP,
           "the server has timers made by timer_create, which a fork does not inherit");
    return false;
  }
  for (int i = 0; i < kIntervalTimers; ++i) {
    raw::call(SYS_getitimer, i, raw::address(&g_agent.timers[i]));
  }
  g_agent.parked_realtime_ns = raw::now_ns(CLOCK_REALTIME);
  g_agent.parked_monotonic_ns = raw::now_ns(CLOCK_MONOTONIC);
  return true;
}

// For its children, that they can go back to it. Now, for a template sees its own /proc only until
// it has entered a nest.
void open_own_memory() {
  const char* path = "/proc/self/mem";
  const long fd = raw::call(SYS_openat, AT_FDCWD, raw::address(path), O_RDONLY | O_CLOEXEC);
  raw::call(SYS_close, kTemplateMemoryFd);
  if (fd < 0) return;
  raw::call(SYS_dup3, fd, kTemplateMemoryFd, O_CLOEXEC);
  raw::call(SYS_close, fd);
}

bool park(const ParkRequest& request, ucontext_t& context, SnapshotReply& reply) {
  reply = SnapshotReply{};
  ThreadImage& main = g_agent.main;
  main.tid = raw::thread_id();
  main.context = &context;
  main.syscall.number = request.syscall_number;
  main.syscall.pc = request.syscall_pc;
  memcpy(main.syscall.arguments, request.syscall_arguments, sizeof main.syscall.arguments);
  try_out_calls();
  capture_thread(main);
  if (!can_be_recreated(main)) {
    refuse(reply, SnapshotStep::kMainThread, ENOTSUP,
           "this C library registers restartable sequences in a way that esox does not know");
    return false;
  }
  if (rewind_interrupted(context, main.syscall) == Interruption::kUnknown) {
    reply.retry = 1;
    refuse(reply, SnapshotStep::kMainThread, EAGAIN,
           "the main thread was about to block in a system call that could not be seen");
    return false;
  }
  g_agent.descriptors.clear();
  if (!park_threads(g_agent.threads, reply)) return false;
  own_shared_files();
  if (request.move_memory != 0) move_memory_into_file();
  open_own_memory();
  if (capture_process(reply)) return true;
  release_threads(g_agent.threads);
  return false;
}

// --- The child ---------------------------------------------------------------------------------

void move_deadline(const ThreadImage& image, int64_t quiet_ns) {
  int clock = 0;
  timespec* until = absolute_deadline(*image.context, image.syscall.number, clock);
  if (until == nullptr || until->tv_sec > INT64_MAX / kSecond_ns - 1) return;
  const int64_t parked_ns =
      clock == CLOCK_REALTIME ? g_agent.parked_realtime_ns : g_agent.parked_monotonic_ns;
  const int64_t now_ns = raw::now_ns(clock);
  int64_t ns = until->tv_sec * kSecond_ns + until->tv_nsec + (now_ns - parked_ns);
  if (ns < now_ns + quiet_ns) ns = now_ns + quiet_ns;
  *until = {ns / kSecond_ns, ns % kSecond_ns};
}

void restore_timers() {
  for (int i = 0; i < kIntervalTimers; ++i) {
    const itimerval& timer = g_agent.timers[i];
    if (timer.it_value.tv_sec == 0 && timer.it_value.tv_usec == 0) continue;
    raw::call(SYS_setitimer, i, raw::address(&timer), 0);
  }
}

[[noreturn]] void give_up(const SnapshotReply& reply) {
  answer(reply);
  raw::call(SYS_exit_group, 126);
  __builtin_unreachable();
}

// Since Linux 6.15 (release_task) the last thread of a dying process lets its parent reap it, and
// only then, outside the lock, gives its own thread id back. If it loses the processor between the
// two (seen: 44 ms), the id is nobody's (kill says ESRCH), yet taken (clone3 says EEXIST).
long recreate_when_free(const ThreadImage& image) {
  int64_t until_ns = 0;
  for (;;) {
    const long error = recreate_thread(image);
    if (error != -EEXIST) return error;
    const int64_t now_ns = raw::now_ns(CLOCK_MONOTONIC);
    if (until_ns == 0) until_ns = now_ns + kFreeIdLimit_ns;
    if (now_ns > until_ns) return error;
    raw::call(SYS_sched_yield);
  }
}

// In a rewound child those that ended in its last life.
void recreate_threads(const ForkRequest& request) {
  for (uint32_t i = 0; i < g_agent.threads.count; ++i) {
    if (is_rewound() && !has_ended(i)) continue;
    const ThreadImage& image = g_agent.threads.images[i];
    long error = recreate_when_free(image);
    if (request.fail_at == static_cast<int32_t>(SnapshotStep::kThreads)) error = -EAGAIN;
    if (error == 0) continue;
    SnapshotReply reply{};
    reply.from_child = 1;
    refuse(reply, SnapshotStep::kThreads, error, "thread ")
        .number(image.tid)
        .text(" cannot be made anew");
    give_up(reply);
  }
}

bool restore_descriptors(const Received& received, SnapshotReply& reply) {
  const ForkRequest& request = received.request.fork;
  using Life = DescriptorTable::Life;
  const Life life = is_rewound()              ? Life::kRewound
                    : request.rewindable != 0 ? Life::kRewindable
                                              : Life::kOnly;
  return g_agent.descriptors.restore(received.passed, received.passed_count - request.has_channel,
                                     life, kept_descriptors(), reply);
}

void resume_clocks(const ForkRequest& request) {
  g_scheduler.clock().resume(block().clock_base_ns, g_agent.parked_realtime_ns,
                             g_agent.parked_monotonic_ns);
  g_outside_waiters.give_time(request.quiet_ns);  // of relative ones, too
  move_deadline(g_agent.main, request.quiet_ns);
  for (uint32_t i = 0; i < g_agent.threads.count; ++i) {
    move_deadline(g_agent.threads.images[i], request.quiet_ns);
  }
  restore_timers();
}

// Only now: until here failures went to the template's harness.
void take_channel(const Received& received) {
  const ForkRequest& request = received.request.fork;
  if (request.has_channel == 0) {
    raw::call(SYS_close, kSnapshotFd);
    return;
  }
  const int channel = received.passed[received.passed_count - 1];
  raw::call(SYS_dup3, channel, kSnapshotFd, O_CLOEXEC);
  raw::call(SYS_close, channel);
  if (request.rewindable != 0) return;
  SnapshotReply reply{};
  reply.ok = 1;
  answer(reply);
}

// The child's one thread, still in the template's handler. A rewound child's other threads wait.
void come_to_life(const Received& received) {
  const ForkRequest& request = received.request.fork;
  SnapshotTimes& times = block().snapshot_times;
  times.forked_ns = raw::now_ns(CLOCK_MONOTONIC);
  g_agent.nests.forget(/*closed=*/is_rewound());
  if (!is_rewound()) raw::call(SYS_prctl, PR_SET_PDEATHSIG, SIGKILL);
  SnapshotReply reply{};
  reply.from_child = 1;
  if (request.fail_at == static_cast<int32_t>(SnapshotStep::kDescriptors)) {
    refuse(reply, SnapshotStep::kDescriptors, EMFILE, "descriptors cannot be made anew (a test)");
    give_up(reply);
  }
  if (!restore_descriptors(received, reply)) give_up(reply);
  times.descriptors_ns = raw::now_ns(CLOCK_MONOTONIC);
  if (request.rewindable != 0 && !is_rewound()) {
    const int channel = received.passed[received.passed_count - 1];
    const bool watched = request.fail_at != static_cast<int32_t>(SnapshotStep::kMemory);
    note_birth({&g_agent.threads, &g_agent.descriptors, &g_agent.life}, channel, watched);
  }
  resume_clocks(request);
  register_thread(g_agent.main, /*forked=*/!is_rewound());
  g_agent.threads.resuming.store(g_agent.threads.count);
  if (is_rewound()) {
    recreate_threads(request);
    times.resumed_ns = raw::now_ns(CLOCK_MONOTONIC);  // now: they may be faster than this one
    return let_threads_go_on();
  }
  recreate_threads(request);
  take_channel(received);
  times.resumed_ns = raw::now_ns(CLOCK_MONOTONIC);
}

// --- The template ------------------------------------------------------------------------------

// 0 in the child.
long fork_process(const ForkRequest& request, int& pidfd) {
  const pid_t pid = static_cast<pid_t>(g_agent.main.tid);
  clone_args arguments{};
  arguments.flags = CLONE_PIDFD;
  arguments.pidfd = reinterpret_cast<uint64_t>(&pidfd);
  arguments.set_tid = reinterpret_cast<uint64_t>(&pid);
  arguments.set_tid_size = 1;
  if (request.fail_at == static_cast<int32_t>(SnapshotStep::kForkProcess)) return -EAGAIN;
  return raw::call(SYS_clone3, raw::address(&arguments), sizeof arguments);
}

// True in the child.
bool fork_child(const Received& received) {
  const ForkRequest& request = received.request.fork;
  SnapshotReply reply{};
  reply.ok = 1;
  block().snapshot_times.asked_ns = raw::now_ns(CLOCK_MONOTONIC);
  if (received.passed_count != request.sockets) {
    refuse(reply, SnapshotStep::kReceive, EMFILE,
           "the template has no room for the child's sockets; raise the limit of open files");
  } else if (g_agent.nests.enter(request.nest, reply)) {
    int pidfd = -1;
    const long child = fork_process(request, pidfd);
    if (child == 0) return true;
    close_passed(received);
    if (child < 0) {
      refuse(reply, SnapshotStep::kForkProcess, child, "the server cannot be forked (clone3)");
      answer(reply);
      return false;
    }
    g_agent.nests.note_child(request.nest, static_cast<pid_t>(child));
    answer(reply, pidfd);
    raw::call(SYS_close, pidfd);
    return false;
  }
  close_passed(received);
  answer(reply);
  return false;
}

// While all threads are parked: as if they had slept so long.
void leap(int64_t ns) {
  g_scheduler.clock().leap(ns);
  g_outside_waiters.end_what_is_due(g_scheduler.clock());
}

void end_child(uint32_t nest, SnapshotReply& reply) {
  const long error = nest < kMaxNests ? g_agent.nests.end_child(nest) : -EINVAL;
  if (error < 0) refuse(reply, SnapshotStep::kForkProcess, error, "the child cannot be ended");
}

void reap(uint32_t nest, SnapshotReply& reply) {
  const long error = nest < kMaxNests ? g_agent.nests.reap(nest, reply.status) : -EINVAL;
  if (error < 0) refuse(reply, SnapshotStep::kForkProcess, error, "the child cannot be reaped");
}

// Until the harness lets go, or in a child.
void serve(const Received& first, ucontext_t& context) {
  SnapshotReply reply{};
  const bool parked = park(first.request.park, context, reply);
  answer(reply);
  if (!parked) return;
  if (esox_mark_point(&g_agent.life) != 0) return come_to_life(rewound_with());
  Received received;
  while (receive(received)) {
    reply = SnapshotReply{};
    reply.ok = 1;
    switch (received.request.command) {
      case SnapshotCommand::kDescriptor:
        if (!g_agent.descriptors.add(received.request.descriptor)) reply.ok = 0;
        break;
      case SnapshotCommand::kNest:
        g_agent.nests.make(received.request.nest, reply);
        answer(reply);
        break;
      case SnapshotCommand::kFork:
        if (fork_child(received)) return come_to_life(received);
        break;
      case SnapshotCommand::kReap:
        reap(received.request.child_of, reply);
        answer(reply);
        break;
      case SnapshotCommand::kEndChild:
        end_child(received.request.child_of, reply);
        answer(reply);
        break;
      case SnapshotCommand::kResume:
        if (received.request.fork.quiet_ns > 0) leap(received.request.fork.quiet_ns);
        release_threads(g_agent.threads);
        return answer(reply);
      case SnapshotCommand::kPark:
      case SnapshotCommand::kRewind:
      case SnapshotCommand::kLiveAgain:
        refuse(reply, SnapshotStep::kMainThread, EALREADY, "the server is parked already");
        answer(reply);
        break;
    }
  }
  raw::call(SYS_exit_group, 0);
}

// A thread that is not the main one: the agent's own signals name their thread.
void stop_thread(const siginfo_t& info, ucontext_t& interrupted) {
  if (info.si_code != SI_TKILL) return;
  if (is_rewinding()) rewind_thread();
  park_here(g_agent.threads, interrupted);
}

void answer_signal(const siginfo_t& info, ucontext_t& interrupted) {
  const long process = raw::call(SYS_getpid);
  if (raw::thread_id() != static_cast<uint32_t>(process)) return stop_thread(info, interrupted);
  if (is_trial(interrupted)) return;
  Received first;
  if (!receive(first)) return;
  if (first.request.command == SnapshotCommand::kRewind) rewind_process();
  if (first.request.command == SnapshotCommand::kPark) serve(first, interrupted);
}

// A call that is made again has not been interrupted, as far as it can see.
void on_park_signal(int, siginfo_t* info, void* context) {
  auto& interrupted = *static_cast<ucontext_t*>(context);
  answer_signal(*info, interrupted);
  if (interrupted.uc_mcontext.gregs[REG_RAX] == -EINTR) note_interruption();
}

void install_handler() {
  struct sigaction ours {};
  ours.sa_sigaction = on_park_signal;
  ours.sa_flags = SA_SIGINFO;  // not SA_RESTART: see context.h
  sigfillset(&ours.sa_mask);
  real_sigaction(kParkSignal, &ours, nullptr);
}

// esox's own signals must reach every thread.
int set_mask(MaskFunction real, int how, const sigset_t* wanted, sigset_t* before) {
  if (!g_listening || wanted == nullptr || how == SIG_UNBLOCK) return real(how, wanted, before);
  sigset_t allowed = *wanted;
  sigdelset(&allowed, kParkSignal);
  sigdelset(&allowed, kInterruptSignal);
  return real(how, &allowed, before);
}

}  // namespace

void start_snapshot_agent() {
  if (getenv(kSnapshotVariable) == nullptr) return;
  unsetenv(kSnapshotVariable);
  raw::call(SYS_fcntl, kSnapshotFd, F_SETFD, FD_CLOEXEC);
  g_listening = true;
  prepare_rewinding();
  install_handler();
}

}  // namespace esox

using namespace esox;

ESOX_HOOK int pthread_sigmask(int how, const sigset_t* wanted, sigset_t* before) noexcept {
  return set_mask(real_pthread_sigmask.get(), how, wanted, before);
}

ESOX_HOOK int sigprocmask(int how, const sigset_t* wanted, sigset_t* before) noexcept {
  return set_mask(real_sigprocmask.get(), how, wanted, before);
}
