// SPDX-License-Identifier: Apache-2.0
// Sockets and readiness.
//
// On a client's connection these calls are request boundaries (request/boundary.h) and otherwise
// native: the other end is outside. Elsewhere a blocking receive, accept, poll or select of a
// controlled thread is enabled when the descriptor is ready, a blocking send when there is room for
// something; timeouts are virtual. Calls whose end cannot be asked beforehand are in
// outside_calls.cpp.
//
// Limits: one send that is larger than the room there is blocks natively, and so does connecting to
// a server whose backlog is full. A signal mask given to pselect, ppoll or epoll_pwait is in force
// only for the real call, which does not wait.
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/socket.h>

#include "preload/core/real.h"
#include "preload/interpose/calls.h"
#include "preload/interpose/io_choices.h"
#include "preload/interpose/outside_lock.h"
#include "preload/interpose/path_objects.h"
#include "preload/request/boundary.h"
#include "preload/scheduler/scheduler.h"

extern "C" {
ssize_t __recv_chk(int, void*, size_t, size_t, int);
ssize_t __recvfrom_chk(int, void*, size_t, size_t, int, sockaddr*, socklen_t*);
int __poll_chk(pollfd*, nfds_t, int, size_t);
int __ppoll_chk(pollfd*, nfds_t, const timespec*, const sigset_t*, size_t);
}

namespace esox {
namespace {

ESOX_REAL(listen);
ESOX_REAL(accept);
ESOX_REAL(accept4);
ESOX_REAL(recv);
ESOX_REAL(recvfrom);
ESOX_REAL(recvmsg);
ESOX_REAL(recvmmsg);
ESOX_REAL(connect);
ESOX_REAL(send);
ESOX_REAL(sendto);
ESOX_REAL(sendmsg);
ESOX_REAL(sendmmsg);
ESOX_REAL(shutdown);
ESOX_REAL(poll);
ESOX_REAL(ppoll);
ESOX_REAL(select);
ESOX_REAL(pselect);
ESOX_REAL(epoll_wait);
ESOX_REAL(epoll_pwait);
ESOX_REAL(epoll_pwait2);
ESOX_LISTED constinit Real<int (*)(int)> real_close{"close"};

int64_t deadline_ms(int timeout_ms) {
  return timeout_ms < 0 ? kNoDeadline : virtual_deadline_after(int64_t{timeout_ms} * 1'000'000);
}

int64_t deadline_after(const timespec* timeout) {
  return timeout == nullptr ? kNoDeadline : virtual_deadline_after(to_ns(*timeout));
}

bool would_block(int fd, int flags) {
  if ((flags & MSG_DONTWAIT) != 0) return false;
  return (fcntl(fd, F_GETFL) & O_NONBLOCK) == 0;
}

// Before a call of a controlled thread that waits for `events` on a descriptor that is not its
// client's.
void await(int fd, short events, int flags, OpKind kind, uint64_t site) {
  ControlledThread* t = self();
  if (t == nullptr || t->fd == fd) return;
  pollfd ready{fd, events, 0};
  if (would_block(fd, flags)) {
    g_scheduler.readiness_point(*t, kind, static_cast<uint64_t>(fd), site, &ready, 1, kNoDeadline);
  } else {
    g_scheduler.point(*t, kind, static_cast<uint64_t>(fd), site);
  }
}

// A call that would not wait is not interrupted.
bool interrupted(int fd, int flags, uint64_t site) {
  if (!g_scheduler.offers(DataChoiceKind::kInterrupted) || self() == nullptr) return false;
  return would_block(fd, flags) && chosen_interrupted(fd, site);
}

// Of a call that is to have all, or to leave all there, every byte.
size_t received_size(int fd, size_t size, int flags, uint64_t site) {
  if ((flags & (MSG_WAITALL | MSG_PEEK | MSG_TRUNC | MSG_OOB | MSG_ERRQUEUE)) != 0) return size;
  return chosen_size(Transfer::kRead, fd, size, site);
}

size_t sent_size(int fd, size_t size, int flags, uint64_t site) {
  return (flags & MSG_OOB) != 0 ? size : chosen_size(Transfer::kWrite, fd, size, site);
}

ssize_t receive(int fd, int flags, uint64_t site, auto call) {
  before_receive(fd, site);
  await(fd, POLLIN, flags, OpKind::kReceive, site);
  if (interrupted(fd, flags, site)) return -1;
  const ssize_t received = call();
  const int error = errno;
  after_receive(fd, received, site);
  errno = error;
  return received;
}

ssize_t received(int fd, void* buffer, size_t size, int flags, uint64_t site) {
  return receive(fd, flags, site, [&] {
    return real_recv(fd, buffer, received_size(fd, size, flags, site), flags);
  });
}

ssize_t received_from(int fd, void* buffer, size_t size, int flags, sockaddr* address,
                      socklen_t* length, uint64_t site) {
  return receive(fd, flags, site, [&] {
    return real_recvfrom(fd, buffer, received_size(fd, size, flags, site), flags, address, length);
  });
}

auto sending(int fd, int flags, uint64_t site, auto call) {
  before_send(fd, site);
  await(fd, POLLOUT, flags, OpKind::kSend, site);
  return interrupted(fd, flags, site) ? -1 : call();
}

// The kernel takes the new connection's number before it waits for one. Whether a thread outside
// control has come to wait by now must not show in the numbers that others are given: so it waits
// here, without one. Interrupted, or with a limit of its own, it waits as it would.
void await_connection(int fd) {
  if (!attended() || !would_block(fd, 0)) return;
  timeval limit{};
  socklen_t size = sizeof limit;
  raw::call(SYS_getsockopt, fd, SOL_SOCKET, SO_RCVTIMEO, raw::address(&limit), raw::address(&size));
  if (limit.tv_sec != 0 || limit.tv_usec != 0) return;
  pollfd ready{fd, POLLIN, 0};
  raw::call(SYS_poll, raw::address(&ready), 1, -1);
}

int accepting(int fd, uint64_t site, auto call) {
  if (self() == nullptr) await_connection(fd);
  await(fd, POLLIN, 0, OpKind::kAccept, site);
  if (interrupted(fd, 0, site)) return -1;
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

// After a poll that could have waited and was awaited.
bool interrupted_poll(bool awaited, bool waits, int fd, uint64_t site) {
  return awaited && waits && chosen_interrupted(fd, site);
}

}  // namespace
}  // namespace esox

using namespace esox;

// From here on its clients may come: the server has started.
ESOX_HOOK int listen(int fd, int most) noexcept {
  g_start_up.end();
  return real_listen(fd, most);
}

ESOX_HOOK int accept(int fd, sockaddr* address, socklen_t* length) {
  return accepting(fd, ESOX_SITE(), [&] { return real_accept(fd, address, length); });
}

ESOX_HOOK int accept4(int fd, sockaddr* address, socklen_t* length, int flags) {
  return accepting(fd, ESOX_SITE(), [&] { return real_accept4(fd, address, length, flags); });
}

ESOX_HOOK int close(int fd) {
  if (note_closed(fd)) watch_end(*self());
  if (ControlledThread* t = self()) g_scheduler.file_closed(*t, descriptor_object(fd));
  forget_descriptor(fd);
  return real_close(fd);
}

// By another thread (KILL) it only makes the connection's own thread see its end.
ESOX_HOOK int shutdown(int fd, int how) noexcept {
  if (end_session(fd)) watch_end(*self());
  if (how == SHUT_RDWR && ends_other_session(fd)) return 0;
  return real_shutdown(fd, how);
}

ESOX_HOOK ssize_t recv(int fd, void* buffer, size_t size, int flags) {
  return received(fd, buffer, size, flags, ESOX_SITE());
}

ESOX_HOOK ssize_t recvfrom(int fd, void* buffer, size_t size, int flags, sockaddr* address,
                           socklen_t* length) {
  return received_from(fd, buffer, size, flags, address, length, ESOX_SITE());
}

ESOX_HOOK ssize_t recvmsg(int fd, msghdr* message, int flags) {
  return receive(fd, flags, ESOX_SITE(), [&] { return real_recvmsg(fd, message, flags); });
}

ESOX_HOOK int recvmmsg(int fd, mmsghdr* messages, unsigned count, int flags, timespec* timeout) {
  return static_cast<int>(receive(
      fd, flags, ESOX_SITE(), [&] { return real_recvmmsg(fd, messages, count, flags, timeout); }));
}

// The variants that fortified programs call; the size was checked by the compiler's caller.
ESOX_HOOK ssize_t __recv_chk(int fd, void* buffer, size_t size, size_t room, int flags) {
  if (size > room) __builtin_trap();
  return received(fd, buffer, size, flags, ESOX_SITE());
}

ESOX_HOOK ssize_t __recvfrom_chk(int fd, void* buffer, size_t size, size_t room, int flags,
                                 sockaddr* address, socklen_t* length) {
  if (size > room) __builtin_trap();
  return received_from(fd, buffer, size, flags, address, length, ESOX_SITE());
}

// Makes the listener's accept possible.
ESOX_HOOK int connect(int fd, const sockaddr* address, socklen_t length) {
  if (ControlledThread* t = self()) {
    g_scheduler.point(*t, OpKind::kSend, static_cast<uint64_t>(fd), ESOX_SITE());
  }
  return real_connect(fd, address, length);
}

ESOX_HOOK ssize_t send(int fd, const void* buffer, size_t size, int flags) {
  const uint64_t site = ESOX_SITE();
  return sending(fd, flags, site,
                 [&] { return real_send(fd, buffer, sent_size(fd, size, flags, site), flags); });
}

ESOX_HOOK ssize_t sendto(int fd, const void* buffer, size_t size, int flags,
                         const sockaddr* address, socklen_t length) {
  const uint64_t site = ESOX_SITE();
  return sending(fd, flags, site, [&] {
    return real_sendto(fd, buffer, sent_size(fd, size, flags, site), flags, address, length);
  });
}

ESOX_HOOK ssize_t sendmsg(int fd, const msghdr* message, int flags) {
  const uint64_t site = ESOX_SITE();
  return sending(fd, flags, site, [&] {
    // Without what is sent beside the bytes: a second try would send that again.
    if (message->msg_controllen != 0 || (flags & MSG_OOB) != 0) {
      return real_sendmsg(fd, message, flags);
    }
    const ChosenParts chosen(Transfer::kWrite, fd, message->msg_iov, message->msg_iovlen, site);
    msghdr part = *message;
    part.msg_iov = const_cast<iovec*>(chosen.parts());
    part.msg_iovlen = chosen.count();
    return real_sendmsg(fd, &part, flags);
  });
}

ESOX_HOOK int sendmmsg(int fd, mmsghdr* messages, unsigned count, int flags) {
  return sending(fd, flags, ESOX_SITE(), [&] { return real_sendmmsg(fd, messages, count, flags); });
}

namespace esox {
namespace {

// A poll outside control that waits. True: it is over, with that result; `look` polls without
// waiting.
bool polled_parked(pollfd* fds, nfds_t count, int timeout_ms, uint64_t site, auto look,
                   int& result) {
  if (self() != nullptr || timeout_ms == 0 || !parks_waits()) return false;
  const bool limited = timeout_ms > 0;
  const int64_t until_ns = raw::now_ns(CLOCK_MONOTONIC) + int64_t{timeout_ms} * 1'000'000;
  PolledParked end = PolledParked::kReady;
  while ((result = look()) == 0 && end == PolledParked::kReady) {
    const int64_t left_ns = until_ns - raw::now_ns(CLOCK_MONOTONIC);
    if (limited && left_ns <= 0) return true;
    end = poll_parked(fds, count, limited ? left_ns : -1, site);
  }
  if (result != 0 || end == PolledParked::kOver) return true;
  if (end == PolledParked::kNot) return false;
  errno = EINTR;
  result = -1;
  return true;
}

int polling(pollfd* fds, nfds_t count, int timeout_ms, uint64_t site) {
  int result;
  const auto look = [&] { return real_poll(fds, count, 0); };
  if (polled_parked(fds, count, timeout_ms, site, look, result)) return result;
  const int64_t deadline_ns = self() != nullptr ? deadline_ms(timeout_ms) : kNoDeadline;
  const bool awaited = await_poll(fds, count, deadline_ns, timeout_ms != 0, site);
  const int fd = count > 0 ? fds[0].fd : -1;
  if (interrupted_poll(awaited, timeout_ms != 0, fd, site)) return -1;
  return real_poll(fds, count, awaited ? 0 : timeout_ms);
}

constexpr timespec kAtOnce{0, 0};

int polling(pollfd* fds, nfds_t count, const timespec* timeout, const sigset_t* mask,
            uint64_t site) {
  const int64_t deadline_ns = self() != nullptr ? deadline_after(timeout) : kNoDeadline;
  const bool waits = timeout == nullptr || to_ns(*timeout) != 0;
  const bool awaited = await_poll(fds, count, deadline_ns, waits, site);
  const int fd = count > 0 ? fds[0].fd : -1;
  if (interrupted_poll(awaited, waits, fd, site)) return -1;
  return real_ppoll(fds, count, awaited ? &kAtOnce : timeout, mask);
}

// An epoll descriptor is itself readable when one of its members is. The wait may be where a worker
// has ended its client's request, and then either its session is over or the next request is there.
bool await_epoll(int fd, int64_t deadline_ns, bool waits, uint64_t site) {
  if (before_epoll(site) || self() == nullptr) return false;
  pollfd ready{fd, POLLIN, 0};
  return await_poll(&ready, 1, deadline_ns, waits, site);
}

// As epoll_pwait.
int epoll_polling(int fd, epoll_event* events, int most, int timeout_ms, const sigset_t* mask,
                  uint64_t site) {
  pollfd ready{fd, POLLIN, 0};
  int result;
  const auto look = [&] { return real_epoll_wait(fd, events, most, 0); };
  // Without limit it is who serves connections.
  const bool parks = mask == nullptr && timeout_ms >= 0;
  if (parks && polled_parked(&ready, 1, timeout_ms, site, look, result)) return result;
  const bool awaited =
      self() != nullptr && await_epoll(fd, deadline_ms(timeout_ms), timeout_ms != 0, site);
  if (interrupted_poll(awaited, timeout_ms != 0, fd, site)) return -1;
  return real_epoll_pwait(fd, events, most, awaited ? 0 : timeout_ms, mask);
}

struct DescriptorSets {
  int count;
  fd_set* readable;
  fd_set* writable;
  fd_set* exceptional;
};

// As await_poll(), by a controlled thread.
bool await_select(const DescriptorSets& sets, const timespec* timeout, uint64_t site) {
  constexpr int kMost = 64;
  pollfd fds[kMost];
  int used = 0;
  const auto in = [](int fd, const fd_set* set) { return set != nullptr && FD_ISSET(fd, set); };
  for (int fd = 0; fd < sets.count; ++fd) {
    short events = 0;
    if (in(fd, sets.readable)) events |= POLLIN;
    if (in(fd, sets.writable)) events |= POLLOUT;
    if (in(fd, sets.exceptional)) events |= POLLPRI;
    if (events == 0) continue;
    if (used == kMost) {
      mark_degraded(kDegradedUnsupported);
      return false;
    }
    fds[used++] = {fd, events, 0};
  }
  const bool waits = timeout == nullptr || to_ns(*timeout) != 0;
  return await_poll(fds, static_cast<nfds_t>(used), deadline_after(timeout), waits, site);
}

}  // namespace
}  // namespace esox

ESOX_HOOK int poll(pollfd* fds, nfds_t count, int timeout_ms) {
  return polling(fds, count, timeout_ms, ESOX_SITE());
}

ESOX_HOOK int __poll_chk(pollfd* fds, nfds_t count, int timeout_ms, size_t room) {
  if (room / sizeof *fds < count) __builtin_trap();
  return polling(fds, count, timeout_ms, ESOX_SITE());
}

ESOX_HOOK int ppoll(pollfd* fds, nfds_t count, const timespec* timeout, const sigset_t* mask) {
  return polling(fds, count, timeout, mask, ESOX_SITE());
}

ESOX_HOOK int __ppoll_chk(pollfd* fds, nfds_t count, const timespec* timeout, const sigset_t* mask,
                          size_t room) {
  if (room / sizeof *fds < count) __builtin_trap();
  return polling(fds, count, timeout, mask, ESOX_SITE());
}

ESOX_HOOK int select(int count, fd_set* readable, fd_set* writable, fd_set* exceptional,
                     timeval* timeout) {
  if (self() == nullptr) return real_select(count, readable, writable, exceptional, timeout);
  timespec limit{};
  if (timeout != nullptr) limit = {timeout->tv_sec, timeout->tv_usec * 1000};
  const uint64_t site = ESOX_SITE();
  const bool awaited = await_select({count, readable, writable, exceptional},
                                    timeout != nullptr ? &limit : nullptr, site);
  const bool waits = timeout == nullptr || to_ns(limit) != 0;
  if (interrupted_poll(awaited, waits, -1, site)) return -1;
  timeval now{0, 0};
  return real_select(count, readable, writable, exceptional, awaited ? &now : timeout);
}

ESOX_HOOK int pselect(int count, fd_set* readable, fd_set* writable, fd_set* exceptional,
                      const timespec* timeout, const sigset_t* mask) {
  const uint64_t site = ESOX_SITE();
  const bool awaited =
      self() != nullptr && await_select({count, readable, writable, exceptional}, timeout, site);
  const bool waits = timeout == nullptr || to_ns(*timeout) != 0;
  if (interrupted_poll(awaited, waits, -1, site)) return -1;
  return real_pselect(count, readable, writable, exceptional, awaited ? &kAtOnce : timeout, mask);
}

ESOX_HOOK int epoll_wait(int fd, epoll_event* events, int most, int timeout_ms) {
  return epoll_polling(fd, events, most, timeout_ms, nullptr, ESOX_SITE());
}

ESOX_HOOK int epoll_pwait(int fd, epoll_event* events, int most, int timeout_ms,
                          const sigset_t* mask) {
  return epoll_polling(fd, events, most, timeout_ms, mask, ESOX_SITE());
}

ESOX_HOOK int epoll_pwait2(int fd, epoll_event* events, int most, const timespec* timeout,
                           const sigset_t* mask) {
  const bool waits = timeout == nullptr || to_ns(*timeout) != 0;
  const uint64_t site = ESOX_SITE();
  const bool awaited = self() != nullptr && await_epoll(fd, deadline_after(timeout), waits, site);
  if (interrupted_poll(awaited, waits, fd, site)) return -1;
  return real_epoll_pwait2(fd, events, most, awaited ? &kAtOnce : timeout, mask);
}
