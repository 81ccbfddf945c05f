// SPDX-License-Identifier: Apache-2.0
// Blocking calls whose end cannot be asked beforehand and lies outside: waits for signals and for
// child processes. The thread leaves control for their duration. Only where a signal is a client's
// request, the wait for one is the wait for a request (request/boundary.h).
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "preload/core/real.h"
#include "preload/interpose/calls.h"
#include "preload/request/boundary.h"
#include "preload/scheduler/scheduler.h"

namespace esox {
namespace {

ESOX_REAL(sigwait);
ESOX_REAL(sigwaitinfo);
ESOX_REAL(sigtimedwait);

auto outside_control(bool blocks, OpKind kind, uint64_t site, auto call) {
  ControlledThread* t = self();
  if (t == nullptr || !blocks) return call();
  g_scheduler.leave(*t, kind, site);
  const auto result = call();
  const int error = errno;
  g_scheduler.rejoin(*t);
  errno = error;
  return result;
}

// `call` gives the signal; none: 0 or less. By one that ends the server the thread may end, in the
// midst of its request.
int await_signal(const sigset_t* set, uint64_t site, auto call) {
  uint64_t awaited = 0;  // as the kernel takes it: a bit a signal
  memcpy(&awaited, set, sizeof awaited);
  const bool is_there = before_signal_wait(awaited, site);
  const int signal = is_there ? call() : outside_control(true, OpKind::kSignalWait, site, call);
  const bool controlled = self() != nullptr;
  after_signal_wait(signal, site);
  if (!controlled && self() != nullptr) watch_end(*self());
  return signal;
}

}  // namespace
}  // namespace esox

using namespace esox;

#define ESOX_OUTSIDE_HOOK(result, name, parameters, arguments, blocks) \
  static ESOX_REAL(name);                                              \
  ESOX_HOOK result name parameters {                                   \
    return outside_control(blocks, OpKind::kSignalWait, ESOX_SITE(),   \
                           [&] { return real_##name arguments; });     \
  }

ESOX_HOOK int sigwait(const sigset_t* set, int* signal) {
  int error = 0;
  await_signal(set, ESOX_SITE(),
               [&] { return (error = real_sigwait(set, signal)) != 0 ? 0 : *signal; });
  return error;
}
ESOX_HOOK int sigwaitinfo(const sigset_t* set, siginfo_t* info) {
  return await_signal(set, ESOX_SITE(), [&] { return real_sigwaitinfo(set, info); });
}
ESOX_HOOK int sigtimedwait(const sigset_t* set, siginfo_t* info, const timespec* timeout) {
  return await_signal(set, ESOX_SITE(), [&] { return real_sigtimedwait(set, info, timeout); });
}
ESOX_OUTSIDE_HOOK(int, sigsuspend, (const sigset_t* mask), (mask), true)
ESOX_OUTSIDE_HOOK(int, pause, (), (), true)
ESOX_OUTSIDE_HOOK(pid_t, wait, (int* status), (status), true)
ESOX_OUTSIDE_HOOK(pid_t, waitpid, (pid_t child, int* status, int options), (child, status, options),
                  (options & WNOHANG) == 0)
ESOX_OUTSIDE_HOOK(int, waitid, (idtype_t type, id_t id, siginfo_t* info, int options),
                  (type, id, info, options), (options & WNOHANG) == 0)
