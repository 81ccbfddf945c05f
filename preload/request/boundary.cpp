// SPDX-License-Identifier: Apache-2.0
#include "preload/request/boundary.h"

#include <poll.h>

#include "preload/scheduler/scheduler.h"

namespace esox {
namespace {

constexpr int kMaxDescriptor = 65536;
// Client index + 1 by descriptor; 0 is none. Bytes, so that no lock is needed.
std::atomic<uint8_t> g_client_of[kMaxDescriptor];

int client_of(int fd) {
  if (fd < 0 || fd >= kMaxDescriptor) return -1;
  return static_cast<int>(g_client_of[fd].load(std::memory_order_relaxed)) - 1;
}

constexpr int kNoDescriptor = -1;  // of the thread that serves signals

// Waits, with the baton, until the client's next request is there. False: it did not come.
bool await_next_request(const ControlledThread& t, int fd) {
  if (t.id + 1u == block().signal_client) {
    return raw::call(SYS_kill, raw::call(SYS_getpid), block().signals[t.request + 1]) == 0;
  }
  pollfd ready{fd, POLLIN, 0};
  int64_t left_ms = block().request_wait_ms;
  while (left_ms > 0 && block().phase.load() == Phase::kRunning) {
    const timespec slice{0, 50'000'000};
    const long result = raw::call(SYS_ppoll, raw::address(&ready), 1, raw::address(&slice), 0, 8);
    if (result > 0) return true;
    block().heartbeat.fetch_add(1);  // the harness must not take this for a lost thread
    left_ms -= 50;
  }
  return false;
}

// The next request is there before others run on: if one of them ends this connection, whether it
// was in time is not the machine's to say.
void end_request(ControlledThread& t, int fd, uint64_t site) {
  ControlBlock& b = block();
  const bool last = t.request + 1 >= b.requests[t.id];
  if (!last && !await_next_request(t, fd)) g_scheduler.release_all(kDegradedNoRequest);
  if (g_scheduler.point(t, OpKind::kRequestEnd, t.request, site) == Proceed::kNative) return;
  if (t.request < kMaxRequests) b.stamps[t.id][t.request].response = b.points;
  ++t.request;
  t.between_requests = true;
  if (last) g_scheduler.finish(t);
}

// The calling thread has received something of the client's: its first request, or its next one.
void begin_request(int client, int fd, uint64_t site) {
  ControlledThread* t = self();
  if (t == nullptr) {
    if (t_self != nullptr) return;  // in a signal handler
    if (client < 0 || block().phase.load() != Phase::kArming) return;
    if (g_scheduler.arrive(static_cast<ThreadId>(client), fd)) {
      block().stamps[client][0].invocation = 0;  // in flight from the start
    }
    return;
  }
  if (t->fd != fd || !t->between_requests) return;  // more of the same request
  t->replied = t->between_requests = false;
  ControlBlock& b = block();
  if (t->request < kMaxRequests) b.stamps[t->id][t->request].invocation = b.points;
  g_scheduler.point(*t, OpKind::kRequestBegin, t->request, site);
}

}  // namespace

void note_accepted(int fd) {
  const uint32_t client = block().connecting_client.load();
  if (client == 0 || fd < 0 || fd >= kMaxDescriptor) return;
  block().connection_fd[client - 1].store(fd);
  if (client == kOwnConnection) return;
  g_client_of[fd].store(static_cast<uint8_t>(client), std::memory_order_relaxed);
  block().tagged.fetch_or(1u << (client - 1));
}

bool note_closed(int fd) {
  const int client = client_of(fd);
  if (client >= 0) {
    g_client_of[fd].store(0, std::memory_order_relaxed);
    block().tagged.fetch_and(~(1u << client));
    g_scheduler.connection_closed(static_cast<ThreadId>(client), fd);
  }
  return end_session(fd);
}

bool end_session(int fd) {
  ControlledThread* t = self();
  if (t == nullptr || fd < 0 || t->fd != fd) return false;
  // The server hangs up in the middle of the session. The reply sent so far counts, if it has
  // reached the client; requests that were still to come do not.
  ControlBlock& b = block();
  const bool answered = t->replied && !t->between_requests;
  if (answered && t->request < kMaxRequests) b.stamps[t->id][t->request].response = b.points;
  t->fd = -1;
  t->hung_up = true;
  return true;
}

bool ends_other_session(int fd) {
  const int client = client_of(fd);
  if (client < 0 || self() == nullptr) return false;
  return g_scheduler.hangs_up_later(static_cast<ThreadId>(client), fd);
}

void end_hung_up() {
  ControlledThread* t = self();
  if (t != nullptr && t->hung_up) g_scheduler.finish(*t);
}

bool is_client(int fd) {
  return client_of(fd) >= 0;
}

void before_receive(int fd, uint64_t site) {
  ControlledThread* t = self();
  if (t == nullptr || t->fd != fd || !t->replied || t->between_requests) return;
  end_request(*t, fd, site);
}

bool before_epoll(uint64_t site) {
  end_hung_up();
  ControlledThread* t = self();
  if (t == nullptr) return false;
  if (t->replied && !t->between_requests) end_request(*t, t->fd, site);
  t = self();
  return t != nullptr && t->between_requests;
}

void after_receive(int fd, long received, uint64_t site) {
  if (received > 0) begin_request(client_of(fd), fd, site);
}

bool before_signal_wait(uint64_t awaited, uint64_t site) {
  ControlBlock& b = block();
  if (!attended() || b.mode != ControlMode::kClients) return false;
  if ((awaited & ~b.awaited_signals.load()) != 0) b.awaited_signals.fetch_or(awaited);
  ControlledThread* t = self();
  if (t == nullptr || t->id + 1u != b.signal_client) return false;
  end_request(*t, kNoDescriptor, site);
  t = self();
  return t != nullptr && t->between_requests;
}

void after_signal_wait(int signal, uint64_t site) {
  const ControlBlock& b = block();
  const bool awaited = signal > 0 && b.signal_client != 0;
  if (!awaited || (self() == nullptr && signal != b.signals[0])) return;
  begin_request(static_cast<int>(b.signal_client) - 1, kNoDescriptor, site);
}

void before_send(int fd, uint64_t site) {
  ControlledThread* t = self();
  if (t == nullptr || t->fd != fd) return;
  g_scheduler.point(*t, OpKind::kSend, 0, site);
  t->replied = true;
}

}  // namespace esox
