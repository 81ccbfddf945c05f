// SPDX-License-Identifier: Apache-2.0
#include "preload/crash.h"

#include <signal.h>
#include <ucontext.h>

#include "preload/core/control.h"
#include "preload/core/raw.h"
#include "preload/core/real.h"
#include "preload/protocol/snapshot.h"
#include "preload/scheduler/outside_waiters.h"
#include "preload/scheduler/thread_table.h"

namespace esox {
namespace {

using SigactionFunction = int (*)(int, const struct sigaction*, struct sigaction*);
ESOX_LISTED constinit Real<SigactionFunction> real_sigaction{"sigaction"};

constexpr int kFatal[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT};
constexpr int kSignals = 32;
constexpr int64_t kLookTime_ns = 3'000'000'000;  // for the harness to take the stacks

struct sigaction g_theirs[kSignals];  // what the server asked for
bool g_watching = false;

bool fatal(int signal) {
  for (int one : kFatal) {
    if (one == signal) return true;
  }
  return false;
}

// Whether it has seen it.
bool show_to_harness(int signal, const siginfo_t* info, const ucontext_t* context) {
  ControlBlock& b = block();
  uint32_t none = 0;
  if (!b.crash.state.compare_exchange_strong(none, 1)) return false;  // another thread was first
  b.crash.signal = static_cast<uint32_t>(signal);
  b.crash.tid = raw::thread_id();
  b.crash.thread = t_self != nullptr ? t_self->id : kNoThread;
  b.crash.address = signal == SIGABRT ? 0 : reinterpret_cast<uint64_t>(info->si_addr);
  b.crash.pc = static_cast<uint64_t>(context->uc_mcontext.gregs[REG_RIP]);
  if (ends_unattended()) {
    b.crash.state.store(3);
    return true;
  }
  b.crash.state.store(2);
  raw::futex_wake(&b.crash.state, INT32_MAX);
  const int64_t until_ns = raw::now_ns(CLOCK_MONOTONIC) + kLookTime_ns;
  while (b.crash.state.load() == 2 && raw::now_ns(CLOCK_MONOTONIC) < until_ns) {
    raw::futex_wait(&b.crash.state, uint32_t{2}, 100'000'000);
  }
  return b.crash.state.load() == 3;
}

void end_by(int signal) {
  struct sigaction fall_back {};
  fall_back.sa_handler = SIG_DFL;
  real_sigaction(signal, &fall_back, nullptr);
  raw::call(SYS_tgkill, raw::call(SYS_getpid), raw::thread_id(), signal);
}

void on_fatal(int signal, siginfo_t* info, void* context) {
  const bool seen = show_to_harness(signal, info, static_cast<const ucontext_t*>(context));
  t_self = nullptr;
  // A server's own report, by a program for each frame, takes half a second and tells no more.
  if (seen && block().mode == ControlMode::kClients) return end_by(signal);
  const struct sigaction& theirs = g_theirs[signal];
  if ((theirs.sa_flags & SA_SIGINFO) != 0 && theirs.sa_sigaction != nullptr) {
    theirs.sa_sigaction(signal, info, context);
    return;
  }
  if (theirs.sa_handler != SIG_DFL && theirs.sa_handler != SIG_IGN) {
    theirs.sa_handler(signal);
    return;
  }
  end_by(signal);
}

int remember(int signal, const struct sigaction* wanted, struct sigaction* before) {
  if (before != nullptr) *before = g_theirs[signal];
  if (wanted == nullptr) return 0;
  g_theirs[signal] = *wanted;
  struct sigaction ours = *wanted;
  ours.sa_flags |= SA_SIGINFO;
  ours.sa_flags &= ~static_cast<int>(SA_RESETHAND);
  ours.sa_sigaction = on_fatal;
  // A server that asks for the default again (to die after its own report) really gets it.
  return real_sigaction(signal, wanted->sa_handler == SIG_DFL ? wanted : &ours, nullptr);
}

}  // namespace

void watch_fatal_signals() {
  for (int signal : kFatal) {
    struct sigaction ours {};
    ours.sa_sigaction = on_fatal;
    ours.sa_flags = SA_SIGINFO | SA_ONSTACK;
    sigemptyset(&ours.sa_mask);
    real_sigaction(signal, &ours, &g_theirs[signal]);
  }
  g_watching = true;
}

}  // namespace esox

using namespace esox;

ESOX_HOOK int sigaction(int signal, const struct sigaction* wanted,
                        struct sigaction* before) noexcept {
  if (g_watching && fatal(signal)) return remember(signal, wanted, before);
  const bool ours = signal == kParkSignal || signal == kInterruptSignal;
  if (ours && attended() && block().mode == ControlMode::kClients) {  // a server that sets them all
    if (before != nullptr) *before = {};
    return 0;
  }
  return real_sigaction(signal, wanted, before);
}

ESOX_HOOK sighandler_t signal(int signal, sighandler_t handler) noexcept {
  struct sigaction wanted {};
  struct sigaction before {};
  wanted.sa_handler = handler;
  wanted.sa_flags = SA_RESTART;
  sigemptyset(&wanted.sa_mask);
  return sigaction(signal, &wanted, &before) == 0 ? before.sa_handler : SIG_ERR;
}
