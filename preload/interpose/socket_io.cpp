// SPDX-License-Identifier: Apache-2.0
// Sockets, readiness and signal waits.
//
// On a client's connection these calls are request boundaries (request/boundary.h) and otherwise
// native: the other end is outside. Elsewhere a blocking receive, accept, poll or select of a
// controlled thread is enabled when the descriptor is ready; timeouts are virtual. Calls whose
// readiness cannot be asked beforehand (epoll, signals) leave control for their duration.
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/socket.h>

#include "preload/interpose/names.h"
#include "preload/interpose/outside_lock.h"
#include "preload/interpose/real.h"
#include "preload/request/boundary.h"
#include "preload/scheduler/scheduler.h"

extern "C" {
ssize_t __recv_chk(int, void*, size_t, size_t, int);
ssize_t __recvfrom_chk(int, void*, size_t, size_t, int, sockaddr*, socklen_t*);
int __poll_chk(pollfd*, nfds_t, int, size_t);
}

namespace esox {
namespace {

ESOX_REAL(accept);
ESOX_REAL(accept4);
ESOX_REAL(recv);
ESOX_REAL(recvfrom);
ESOX_REAL(recvmsg);
ESOX_REAL(send);
ESOX_REAL(sendto);
ESOX_REAL(sendmsg);
ESOX_REAL(shutdown);
ESOX_REAL(poll);
ESOX_REAL(ppoll);
ESOX_REAL(select);
ESOX_REAL(epoll_wait);
ESOX_REAL(epoll_pwait);
ESOX_REAL(sigwait);
ESOX_REAL(sigwaitinfo);
ESOX_REAL(sigtimedwait);
constinit Real<int (*)(int)> real_close{"close"};

int64_t deadline_ms(int timeout_ms) {
  return timeout_ms < 0 ? kNoDeadline : virtual_deadline_after(int64_t{timeout_ms} * 1'000'000);
}

bool would_block(int fd, int flags) {
  if ((flags & MSG_DONTWAIT) != 0) return false;
  return (fcntl(fd, F_GETFL) & O_NONBLOCK) == 0;
}

// Before a receiving call of a controlled thread on a descriptor that is not its client's.
void await_readable(int fd, int flags, OpKind kind, uint64_t site) {
  ControlledThread* t = self();
  if (t == nullptr || t->fd == fd) return;
  pollfd ready{fd, POLLIN, 0};
  if (would_block(fd, flags)) {
    g_scheduler.readiness_point(*t, kind, static_cast<uint64_t>(fd), site, &ready, 1, kNoDeadline);
  } else {
    g_scheduler.point(*t, kind, static_cast<uint64_t>(fd), site);
  }
}

template <class Call>
ssize_t receive(int fd, int flags, uint64_t site, Call call) {
  before_receive(fd, site);
  await_readable(fd, flags, OpKind::kReceive, site);
  const ssize_t received = call();
  const int error = errno;
  after_receive(fd, received, site);
  errno = error;
  return received;
}

template <class Call>
int accepting(int fd, uint64_t site, Call call) {
  await_readable(fd, 0, OpKind::kAccept, site);
  const int accepted = call();
  if (accepted >= 0) {
    forget_descriptor(accepted);
    note_accepted(accepted);
  }
  return accepted;
}

// True if the poll is a controlled thread's own; its readiness has then been awaited and the caller
// polls once more without waiting.
bool await_poll(pollfd* fds, nfds_t count, int64_t deadline_ns, bool waits, uint64_t site) {
  ControlledThread* t = self();
  if (t == nullptr) return false;
  if (count == 1 && fds[0].fd == t->fd) {
    // The thread waits to receive from its client: the end of a request if it has replied, else
    // more of the same request, which comes from outside. It is neither if it only looks whether
    // the client is still there, or waits for room to send.
    const bool receives = (fds[0].events & POLLIN) != 0 && (fds[0].events & POLLOUT) == 0;
    if (receives && waits) before_receive(t->fd, site);
    return false;
  }
  return g_scheduler.readiness_point(*t, OpKind::kPoll,
                                     count > 0 ? static_cast<uint64_t>(fds[0].fd) : 0, site, fds,
                                     static_cast<uint32_t>(count), deadline_ns) != Proceed::kNative;
}

template <class Call>
auto outside_control(OpKind kind, uint64_t site, Call call) {
  ControlledThread* t = self();
  if (t == nullptr) return call();
  g_scheduler.leave(*t, kind, site);
  const auto result = call();
  const int error = errno;
  g_scheduler.rejoin(*t);
  errno = error;
  return result;
}

}  // namespace
}  // namespace esox

using namespace esox;

ESOX_HOOK int accept(int fd, sockaddr* address, socklen_t* length) {
  return accepting(fd, ESOX_SITE(), [&] { return real_accept(fd, address, length); });
}

ESOX_HOOK int accept4(int fd, sockaddr* address, socklen_t* length, int flags) {
  return accepting(fd, ESOX_SITE(), [&] { return real_accept4(fd, address, length, flags); });
}

ESOX_HOOK int close(int fd) {
  note_closed(fd);
  forget_descriptor(fd);
  return real_close(fd);
}

// By another thread (KILL) it only makes the connection's own thread see its end.
ESOX_HOOK int shutdown(int fd, int how) noexcept {
  end_session(fd);
  return real_shutdown(fd, how);
}

ESOX_HOOK ssize_t recv(int fd, void* buffer, size_t size, int flags) {
  return receive(fd, flags, ESOX_SITE(), [&] { return real_recv(fd, buffer, size, flags); });
}

ESOX_HOOK ssize_t recvfrom(int fd, void* buffer, size_t size, int flags, sockaddr* address,
                           socklen_t* length) {
  return receive(fd, flags, ESOX_SITE(),
                 [&] { return real_recvfrom(fd, buffer, size, flags, address, length); });
}

ESOX_HOOK ssize_t recvmsg(int fd, msghdr* message, int flags) {
  return receive(fd, flags, ESOX_SITE(), [&] { return real_recvmsg(fd, message, flags); });
}

// The variants that fortified programs call; the size was checked by the compiler's caller.
ESOX_HOOK ssize_t __recv_chk(int fd, void* buffer, size_t size, size_t room, int flags) {
  if (size > room) __builtin_trap();
  return receive(fd, flags, ESOX_SITE(), [&] { return real_recv(fd, buffer, size, flags); });
}

ESOX_HOOK ssize_t __recvfrom_chk(int fd, void* buffer, size_t size, size_t room, int flags,
                                 sockaddr* address, socklen_t* length) {
  if (size > room) __builtin_trap();
  return receive(fd, flags, ESOX_SITE(),
                 [&] { return real_recvfrom(fd, buffer, size, flags, address, length); });
}

ESOX_HOOK ssize_t send(int fd, const void* buffer, size_t size, int flags) {
  before_send(fd, ESOX_SITE());
  return real_send(fd, buffer, size, flags);
}

ESOX_HOOK ssize_t sendto(int fd, const void* buffer, size_t size, int flags,
                         const sockaddr* address, socklen_t length) {
  before_send(fd, ESOX_SITE());
  return real_sendto(fd, buffer, size, flags, address, length);
}

ESOX_HOOK ssize_t sendmsg(int fd, const msghdr* message, int flags) {
  before_send(fd, ESOX_SITE());
  return real_sendmsg(fd, message, flags);
}

ESOX_HOOK int poll(pollfd* fds, nfds_t count, int timeout_ms) {
  const bool awaited = await_poll(fds, count, self() != nullptr ? deadline_ms(timeout_ms) : 0,
                                  timeout_ms != 0, ESOX_SITE());
  return real_poll(fds, count, awaited ? 0 : timeout_ms);
}

ESOX_HOOK int __poll_chk(pollfd* fds, nfds_t count, int timeout_ms, size_t room) {
  if (room / sizeof *fds < count) __builtin_trap();
  const bool awaited = await_poll(fds, count, self() != nullptr ? deadline_ms(timeout_ms) : 0,
                                  timeout_ms != 0, ESOX_SITE());
  return real_poll(fds, count, awaited ? 0 : timeout_ms);
}

ESOX_HOOK int ppoll(pollfd* fds, nfds_t count, const timespec* timeout, const sigset_t* mask) {
  const int64_t deadline_ns = self() == nullptr || timeout == nullptr
                                  ? kNoDeadline
                                  : virtual_deadline_after(to_ns(*timeout));
  const bool waits = timeout == nullptr || to_ns(*timeout) != 0;
  const bool awaited = await_poll(fds, count, deadline_ns, waits, ESOX_SITE());
  const timespec now{0, 0};
  return real_ppoll(fds, count, awaited ? &now : timeout, mask);
}

ESOX_HOOK int select(int count, fd_set* readable, fd_set* writable, fd_set* exceptional,
                     timeval* timeout) {
  ControlledThread* t = self();
  if (t == nullptr) return real_select(count, readable, writable, exceptional, timeout);
  constexpr int kMost = 64;
  pollfd fds[kMost];
  int used = 0;
  for (int fd = 0; fd < count; ++fd) {
    short events = 0;
    if (readable != nullptr && FD_ISSET(fd, readable)) events |= POLLIN;
    if (writable != nullptr && FD_ISSET(fd, writable)) events |= POLLOUT;
    if (exceptional != nullptr && FD_ISSET(fd, exceptional)) events |= POLLPRI;
    if (events == 0) continue;
    if (used == kMost) {
      mark_degraded(kDegradedUnsupported);
      return real_select(count, readable, writable, exceptional, timeout);
    }
    fds[used++] = {fd, events, 0};
  }
  const int64_t deadline_ns =
      timeout == nullptr
          ? kNoDeadline
          : virtual_deadline_after(timeout->tv_sec * 1'000'000'000 + timeout->tv_usec * 1000);
  const bool waits = timeout == nullptr || timeout->tv_sec != 0 || timeout->tv_usec != 0;
  const bool awaited = await_poll(fds, static_cast<nfds_t>(used), deadline_ns, waits, ESOX_SITE());
  timeval now{0, 0};
  return real_select(count, readable, writable, exceptional, awaited ? &now : timeout);
}

ESOX_HOOK int epoll_wait(int fd, epoll_event* events, int most, int timeout_ms) {
  ControlledThread* t = self();
  if (t == nullptr) return real_epoll_wait(fd, events, most, timeout_ms);
  // An epoll descriptor is itself readable when one of its members is.
  pollfd ready{fd, POLLIN, 0};
  const bool awaited = await_poll(&ready, 1, deadline_ms(timeout_ms), timeout_ms != 0, ESOX_SITE());
  return real_epoll_wait(fd, events, most, awaited ? 0 : timeout_ms);
}

ESOX_HOOK int epoll_pwait(int fd, epoll_event* events, int most, int timeout_ms,
                          const sigset_t* mask) {
  ControlledThread* t = self();
  if (t == nullptr) return real_epoll_pwait(fd, events, most, timeout_ms, mask);
  pollfd ready{fd, POLLIN, 0};
  const bool awaited = await_poll(&ready, 1, deadline_ms(timeout_ms), timeout_ms != 0, ESOX_SITE());
  return real_epoll_pwait(fd, events, most, awaited ? 0 : timeout_ms, mask);
}

ESOX_HOOK int sigwait(const sigset_t* set, int* signal) {
  return outside_control(OpKind::kSignalWait, ESOX_SITE(),
                         [&] { return real_sigwait(set, signal); });
}

ESOX_HOOK int sigwaitinfo(const sigset_t* set, siginfo_t* info) {
  return outside_control(OpKind::kSignalWait, ESOX_SITE(),
                         [&] { return real_sigwaitinfo(set, info); });
}

ESOX_HOOK int sigtimedwait(const sigset_t* set, siginfo_t* info, const timespec* timeout) {
  return outside_control(OpKind::kSignalWait, ESOX_SITE(),
                         [&] { return real_sigtimedwait(set, info, timeout); });
}
