// SPDX-License-Identifier: Apache-2.0
// Futexes used directly through syscall(): InnoDB's locks, the C++ runtime's guards.
//
// Waits of controlled threads are virtual. Wakes by any thread first wake virtual waiters; what is
// left of the count goes to the kernel. Priority-inheritance futexes are left to the kernel.
#include <errno.h>
#include <linux/futex.h>
#include <stdarg.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "preload/interpose/outside_lock.h"
#include "preload/interpose/random.h"
#include "preload/scheduler/scheduler.h"

namespace esox {
namespace {

struct FutexCall {
  uint32_t* word;
  int operation;
  uint32_t value;
  const timespec* timeout;  // or a count, for requeues
  uint32_t* word2;
  uint32_t value3;

  int command() const { return operation & FUTEX_CMD_MASK; }
  clockid_t clock() const {
    return (operation & FUTEX_CLOCK_REALTIME) != 0 ? CLOCK_REALTIME : CLOCK_MONOTONIC;
  }
  uint32_t count2() const { return static_cast<uint32_t>(reinterpret_cast<uintptr_t>(timeout)); }
};

long kernel(const FutexCall& call) {
  return raw::call(SYS_futex, raw::address(call.word), call.operation,
                   static_cast<long>(call.value), raw::address(call.timeout),
                   raw::address(call.word2), static_cast<long>(call.value3));
}

int64_t deadline_of(const FutexCall& call) {
  if (call.timeout == nullptr) return kNoDeadline;
  // FUTEX_WAIT takes a duration, FUTEX_WAIT_BITSET an absolute time (futex(2)).
  if (call.command() == FUTEX_WAIT) return virtual_deadline_after(to_ns(*call.timeout));
  return virtual_deadline(call.clock(), *call.timeout);
}

long wait_controlled(ControlledThread& t, const FutexCall& call, uint64_t site) {
  if (g_scheduler.point(t, OpKind::kFutexWait, id_of(call.word), site) == Proceed::kNative) {
    return kernel(call);
  }
  const uint32_t bitset = call.command() == FUTEX_WAIT_BITSET ? call.value3 : ~0u;
  if (!g_scheduler.begin_futex_wait(t, call.word, call.value, site, deadline_of(call), bitset)) {
    return -EAGAIN;
  }
  switch (g_scheduler.finish_wait(t)) {
    case Proceed::kTimedOut:
      return -ETIMEDOUT;
    case Proceed::kNative:
      return -EINTR;  // control given up: let the caller look at its word again
    default:
      return 0;
  }
}

long wait_outside_control(FutexCall call) {
  timespec real_until;
  if (call.command() == FUTEX_WAIT_BITSET && call.timeout != nullptr) {
    real_until = to_real_time(call.clock(), *call.timeout);
    call.timeout = &real_until;
  }
  const OutsideWait waits(call.word);
  return kernel(call);
}

long wake(FutexCall call) {
  const uint32_t bitset = call.command() == FUTEX_WAKE_BITSET ? call.value3 : ~0u;
  const uint32_t woken = g_scheduler.wake(id_of(call.word), call.value, bitset);
  if (woken >= call.value) return woken;
  call.value -= woken;
  if (self() != nullptr) {
    const uint32_t later =
        g_scheduler.keep_back({id_of(call.word), call.value, call.operation, bitset});
    if (later != 0) return woken + later;
  }
  const long more = kernel(call);
  return more < 0 ? more : more + woken;
}

long requeue(FutexCall call) {
  if (call.command() == FUTEX_CMP_REQUEUE &&
      __atomic_load_n(call.word, __ATOMIC_SEQ_CST) != call.value3) {
    return -EAGAIN;
  }
  const uint32_t woken = g_scheduler.wake(id_of(call.word), call.value);
  const uint32_t moved = g_scheduler.requeue(id_of(call.word), id_of(call.word2), call.count2());
  const long more = kernel(call);
  return more < 0 ? more : more + woken + moved;
}

long futex(const FutexCall& call, uint64_t site) {
  ControlledThread* t = self();
  const int command = call.command();
  if (command == FUTEX_WAIT || command == FUTEX_WAIT_BITSET) {
    return t != nullptr ? wait_controlled(*t, call, site) : wait_outside_control(call);
  }
  if (!execution_to_be_told()) return kernel(call);
  switch (command) {
    case FUTEX_WAKE:
    case FUTEX_WAKE_BITSET:
      if (t != nullptr) g_scheduler.point(*t, OpKind::kFutexWake, id_of(call.word), site);
      return wake(call);
    case FUTEX_REQUEUE:
    case FUTEX_CMP_REQUEUE:
      if (t != nullptr) g_scheduler.point(*t, OpKind::kFutexWake, id_of(call.word), site);
      return requeue(call);
    default:
      // Waking and waiting in one call, or by priority: cannot be decided here.
      mark_degraded(kDegradedUnsupported);
      return kernel(call);
  }
}

}  // namespace
}  // namespace esox

using namespace esox;

ESOX_HOOK long syscall(long number, ...) noexcept {
  va_list list;
  va_start(list, number);
  long a[6];
  for (long& argument : a) argument = va_arg(list, long);
  va_end(list);
  long result;
  if (number == SYS_futex) {
    result = futex({reinterpret_cast<uint32_t*>(a[0]), static_cast<int>(a[1]),
                    static_cast<uint32_t>(a[2]), reinterpret_cast<const timespec*>(a[3]),
                    reinterpret_cast<uint32_t*>(a[4]), static_cast<uint32_t>(a[5])},
                   ESOX_SITE());
  } else if (number == SYS_getrandom && attended()) {
    result = fill_random(reinterpret_cast<void*>(a[0]), static_cast<size_t>(a[1]));
  } else {
    result = raw::call(number, a[0], a[1], a[2], a[3], a[4], a[5]);
  }
  if (result < 0 && result >= -4095) {
    errno = static_cast<int>(-result);
    return -1;
  }
  return result;
}
