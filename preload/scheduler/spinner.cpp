// SPDX-License-Identifier: Apache-2.0
// A thread that waits in memory, without a call, for what another one shall do (InnoDB's
// trx_sys_t::snapshot_ids reads a counter until it is as it should be) keeps the baton for ever.
// Those who wait for the baton look now and then whether who has it computes and calls nothing;
// then it is interrupted by a signal, and its handler is a scheduling point at which the thread is
// passed over.
//
// Counted in the thread's own processor time, so that a busy machine makes no difference. In equal
// executions a spin is interrupted at the same decision, though not after the same number of
// rounds. A long computation that makes no call at all is interrupted too: at a place that the
// machine chooses, and now and then it may matter. A server's request hardly has one; programs
// under test may, and are left alone.
#include <errno.h>
#include <signal.h>

#include "preload/core/real.h"
#include "preload/scheduler/scheduler.h"

namespace esox {
namespace {

// A request's computing between two calls takes microseconds.
constexpr int64_t kSpin_ns = 50'000'000;

// Declared a structure too; only the function is replaced.
using SigactionFunction = int (*)(int, const struct sigaction*, struct sigaction*);
ESOX_LISTED constinit Real<SigactionFunction> real_sigaction{"sigaction"};

// Of a thread of this process (clock_getcpuclockid(3) knows processes alone): Linux's encoding.
int64_t processor_time_ns(uint32_t tid) {
  constexpr int kOfThread = 4;
  constexpr int kScheduled = 2;
  return raw::now_ns(static_cast<clockid_t>((~tid << 3) | kOfThread | kScheduled));
}

void on_interrupt(int) {
  const int kept = errno;
  note_interruption();
  if (ControlledThread* t = self()) g_scheduler.interrupt_spin(*t);
  errno = kept;
}

}  // namespace

void watch_spinners() {
  struct sigaction ours {};
  ours.sa_handler = on_interrupt;
  ours.sa_flags = SA_RESTART;
  sigemptyset(&ours.sa_mask);
  real_sigaction(kInterruptSignal, &ours, nullptr);
}

void Scheduler::look_for_spinner() {
  lock_.acquire();
  const uint64_t heartbeat = block().heartbeat.load(std::memory_order_relaxed);
  if (running() && !idle_ && current_ < thread_count_ && threads_[current_].alive()) {
    const uint32_t tid = threads_[current_].slot->tid;
    const int64_t now_ns = processor_time_ns(tid);
    if (spin_.thread != current_ || spin_.heartbeat != heartbeat) {
      spin_ = {current_, heartbeat, now_ns};
    } else if (now_ns - spin_.since_ns >= kSpin_ns) {
      spin_.since_ns = now_ns;
      raw::call(SYS_tgkill, raw::call(SYS_getpid), tid, kInterruptSignal);
    }
  }
  lock_.release();
}

void Scheduler::interrupt_spin(ControlledThread& t) {
  lock_.acquire();
  const bool spins = running() && !idle_ && current_ == t.id && spin_.thread == t.id &&
                     spin_.heartbeat == block().heartbeat.load(std::memory_order_relaxed);
  if (!spins) {
    lock_.release();
    return;
  }
  Decision decision = begin_decision(t, OpKind::kYield, 0, 0, 0);
  fairness_.yield_to_all(t.id, decision.number + 1, standing());
  ++block().demotions;
  if (decision.event != nullptr) decision.event->flags |= kTraceDemoted;
  decide(t, decision);
}

}  // namespace esox
