// SPDX-License-Identifier: Apache-2.0
// What happens when no controlled thread can run (see the overview in scheduler.h).
//
// Whether threads outside control may still act is read from the kernel: one that sleeps in a
// system call can only be moved by a time-out or by someone else, so when all sleep nothing more is
// to be expected soon, and the virtual clock may advance without waiting out the grace period.
#include <fcntl.h>

#include <algorithm>

#include "preload/core/directory.h"
#include "preload/scheduler/outside_waiters.h"
#include "preload/scheduler/scheduler.h"

namespace esox {
namespace {

constexpr int64_t kSlice_ns = 200'000;     // between two looks
constexpr int64_t kSettle_ns = 50'000;     // between the two looks that find everybody asleep
constexpr int64_t kAsleep_ns = 5'000'000;  // that all have slept where nobody has the baton
constexpr int64_t kMillisecond_ns = 1'000'000;
// Rounds without a look outside (standstill.h) take next to no time, and who sleeps there may be
// about to end the clients' wait. As long as a thousand looks take.
constexpr int64_t kBeforeHang_ns = 200'000'000;
// Timers of a server's own that end waits while no client does anything new. Some end a wait
// several times a second for ever, and a client may wait for a minute, or a second at a time for a
// day: then the clients' deadlines are served first, as if the others' threads were slow; but as
// many timers more come whenever the time has doubled, for one of them may be what is waited for.
constexpr uint32_t kMostContextFirings = 64;
// The same where no client has a deadline: more than a minute of MariaDB's, and if nothing has come
// of it for a client, nothing will: it is a deadlock.
constexpr uint32_t kMostFruitlessFirings = 1000;

struct LinuxDirent {
  uint64_t inode;
  int64_t offset;
  uint16_t length;
  uint8_t type;
  char name[1];
};

// State letter of /proc/self/task/TID/stat: the one after the last ')'.
char task_state(int directory, const char* name) {
  char path[48];
  uint32_t n = 0;
  for (; name[n] != '\0' && n < 16; ++n) path[n] = name[n];
  const char tail[] = "/stat";
  for (uint32_t i = 0; i < sizeof tail; ++i) path[n + i] = tail[i];
  const long fd = raw::call(SYS_openat, directory, raw::address(path), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return 'X';
  char text[256];
  const long size = raw::call(SYS_read, fd, raw::address(text), sizeof text);
  raw::call(SYS_close, fd);
  for (long i = size - 3; i >= 0; --i) {
    if (text[i] == ')') return text[i + 2];
  }
  return 'X';
}

}  // namespace

// Nobody waits for a thread outside control, but for some that have ended.
bool Scheduler::awaits_only_left_locks() {
  if (block().mode == ControlMode::kClients) return false;
  for (uint32_t i = 0; i < thread_count_; ++i) {
    const ControlledThread& t = threads_[i];
    const bool external = t.alive() && t.slot->state == ThreadState::kExternal;
    if (external && !is_left(t.slot->pending_object)) return false;
  }
  return true;
}

// True if a thread outside control is running, or about to (state other than sleeping).
bool Scheduler::outside_can_act() {
  return any_outside(/*acting=*/true);
}

bool Scheduler::does_outside_act() {
  lock_.acquire();
  const bool acts = outside_can_act();
  block().heartbeat.fetch_add(1, std::memory_order_relaxed);  // who looks is not stuck
  lock_.release();
  return acts;
}

// Also one that has just ended, until it is gone.
bool Scheduler::anybody_outside() {
  return block().mode == ControlMode::kClients || any_outside(/*acting=*/false);
}

// Or what another process may do. Without it there is nothing to look for twice: a program whose
// threads poll the clock has thousands of deadlines (10 to 30 times as fast so).
bool Scheduler::anything_outside() {
  for (uint32_t i = 0; i < thread_count_; ++i) {
    const ControlledThread& t = threads_[i];
    const bool polls = t.polls && t.poll_count > 0;
    if (t.alive() && (polls || t.slot->state == ThreadState::kExternal)) return true;
  }
  return anybody_outside();
}

// Any thread outside control at all, or one that acts.
bool Scheduler::any_outside(bool acting) {
  const long directory = raw::call(SYS_openat, AT_FDCWD, raw::address("/proc/self/task"),
                                   O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (directory < 0) return true;  // cannot tell: assume the worst, wait out the grace period
  // A look at one by the kernel's files takes some ten microseconds, and most are parked.
  uint32_t sleepers[OutsideWaiters::kPlaces];
  const uint32_t asleep =
      acting ? g_outside_waiters.sleepers(sleepers, OutsideWaiters::kPlaces) : 0;
  bool found = false;
  alignas(8) char buffer[4096] = {};
  long size;
  while (!found &&
         (size = raw::call(SYS_getdents64, directory, raw::address(buffer), sizeof buffer)) > 0) {
    for (long at = 0; at < size && !found;) {
      const auto* entry = reinterpret_cast<const LinuxDirent*>(buffer + at);
      at += entry->length;
      const uint32_t tid = parse_number(entry->name);
      bool controlled = tid == 0;
      for (uint32_t i = 0; i < thread_count_ && !controlled; ++i) {
        const ControlledThread& t = threads_[i];
        // One that polls in its place may be about to leave control for what has come.
        const bool polls = t.place != nullptr && t.place->poller.load() != 0;
        controlled =
            t.alive() && t.slot->tid == tid && t.slot->state != ThreadState::kAway && !polls;
      }
      const bool sleeps = std::find(sleepers, sleepers + asleep, tid) != sleepers + asleep;
      if (controlled || sleeps || tid == raw::thread_id()) continue;
      const char state = task_state(static_cast<int>(directory), entry->name);
      const bool gone = state == 'X' || state == 'Z';  // a main thread that ended before the others
      found = acting ? state == 'R' || state == 'D' : !gone;
    }
  }
  raw::call(SYS_close, directory);
  return found;
}

// Lock held (dropped while waiting). Until somebody became enabled, or the limit is reached, or
// (with `until_asleep`) all threads outside sleep.
Scheduler::Outside Scheduler::wait_for_outside(int64_t limit_ns, bool until_asleep) {
  if (until_asleep && !anything_outside()) return Outside::kAsleep;
  const int64_t start_ns = raw::now_ns(CLOCK_MONOTONIC);
  uint32_t asleep = 0;
  while (running()) {
    if (until_asleep) {
      asleep = outside_can_act() ? 0 : asleep + 1;
      if (asleep >= 2) return Outside::kAsleep;
    }
    const uint32_t seen = outside_events_.load();
    block().quiescent.store(1);
    lock_.release();
    raw::futex_wait(&outside_events_, seen, asleep > 0 ? kSettle_ns : kSlice_ns);
    lock_.acquire();
    block().quiescent.store(0);
    if (deliver_outside_wakes() || collect_enabled() > 0) return Outside::kEnabledSomebody;
    if (raw::now_ns(CLOCK_MONOTONIC) - start_ns >= limit_ns) return Outside::kStillActive;
  }
  return Outside::kOver;
}

void Scheduler::look_for_idleness() {
  lock_.acquire();
  const int64_t now_ns = raw::now_ns(CLOCK_MONOTONIC);
  if (!running() || !idle_ || awaits_return() || outside_can_act()) {
    asleep_since_ns_ = 0;
  } else if (asleep_since_ns_ == 0) {
    asleep_since_ns_ = now_ns;
  } else if (now_ns - asleep_since_ns_ >= kAsleep_ns) {
    asleep_since_ns_ = 0;
    if (deliver_outside_wakes() || retry_outside_locks() || fire_earliest_deadline()) resume_idle();
  }
  lock_.release();
}

// Lock held (dropped while waiting). Until all threads outside sleep, or the limit is reached.
void Scheduler::settle_outside(int64_t limit_ns) {
  const int64_t until_ns = raw::now_ns(CLOCK_MONOTONIC) + limit_ns;
  uint32_t asleep = 0;
  while (running() && asleep < 2 && raw::now_ns(CLOCK_MONOTONIC) < until_ns) {
    asleep = outside_can_act() ? 0 : asleep + 1;
    const uint32_t seen = outside_events_.load();
    block().quiescent.store(1);
    lock_.release();
    raw::futex_wait(&outside_events_, seen, kSettle_ns);
    lock_.acquire();
    block().quiescent.store(0);
  }
}

// Lock held (dropped while waiting). Who has left control for a call comes back, or sleeps in it.
void Scheduler::let_the_away_act() {
  const bool any = std::any_of(threads_, threads_ + thread_count_, [](const ControlledThread& t) {
    return t.alive() && t.slot->state == ThreadState::kAway && !t.returned;
  });
  if (any) settle_outside(block().grace_ms * kMillisecond_ns);
}

bool Scheduler::deliver_outside_wakes() {
  bool any = false;
  for (uint32_t i = 0; i < thread_count_; ++i) {
    ControlledThread& t = threads_[i];
    if (t.slot == nullptr || t.slot->state != ThreadState::kWaiting || !t.woken_outside) continue;
    wake_thread(t, false);
    t.woken_outside = true;  // kept for the trace
    any = true;
  }
  return any;
}

// Threads whose lock was held outside control try again, once per round of quiescence.
bool Scheduler::retry_outside_locks() {
  if (outside_retried_) return false;
  outside_retried_ = true;
  bool any = false;
  for (uint32_t i = 0; i < thread_count_; ++i) {
    ControlledThread& t = threads_[i];
    if (t.slot == nullptr || (t.slot->state != ThreadState::kExternal && !t.refused)) continue;
    t.slot->state = ThreadState::kReady;
    t.refused = false;
    any = true;
  }
  return any;
}

// Lock held; no client can run, and some wait with a deadline.
bool Scheduler::is_contexts_turn() {
  const int64_t now_ns = clock_.elapsed_ns();
  if (context_firings_ < kMostContextFirings) {
    contexts_turn_ns_ = 2 * now_ns;
    return true;
  }
  if (now_ns <= contexts_turn_ns_) return false;
  context_firings_ = 0;
  return true;
}

bool Scheduler::fire_earliest_deadline(int64_t not_after_ns, Deadlines whose) {
  ControlledThread* first = nullptr;
  ControlledThread* first_client = nullptr;
  for (uint32_t i = 0; i < thread_count_; ++i) {
    ControlledThread& t = threads_[i];
    if (!t.alive() || t.timed_out || t.deadline_ns == kNoDeadline) continue;
    // A lock that can be had at once does not time out (pthread_mutex_timedlock(3p)).
    const bool waits = t.slot->state == ThreadState::kWaiting ||
                       (t.slot->state == ThreadState::kReady && t.timed_lock && !enabled(t));
    if (!waits || (whose == Deadlines::kOfContexts && !is_context(t))) continue;
    if (!is_context(t) && (first_client == nullptr || t.deadline_ns < first_client->deadline_ns)) {
      first_client = &t;
    }
    if (first == nullptr || t.deadline_ns < first->deadline_ns) first = &t;
  }
  if (first_client != nullptr && !is_contexts_turn()) first = first_client;
  if (fruitless_firings_ >= kMostFruitlessFirings && first_client == nullptr) return false;
  if (first == nullptr || first->deadline_ns > not_after_ns) return false;
  clock_.advance_to(first->deadline_ns);
  standstill_.timer_fired(clock_.elapsed_ns());
  ++block().timer_firings;
  if (is_context(*first) && whose == Deadlines::kOfAll) {
    ++context_firings_;
    ++fruitless_firings_;
  }
  if (first->slot->state == ThreadState::kWaiting) wake_thread(*first, false);
  first->timed_out = true;
  fairness_.ran_out(first->id);
  outside_retried_ = false;
  quiet_since_ns_ = 0;
  return true;
}

// Lock held. kRetry: look again who is enabled.
Scheduler::Quiet Scheduler::quiesce() {
  ControlBlock& b = block();
  last_quiet_ = b.points;
  if (kept_wakes_.deliver()) settle_outside(b.grace_ms * kMillisecond_ns);
  if (deliver_outside_wakes() || retry_outside_locks()) return Quiet::kRetry;
  for (uint32_t i = 0; i < thread_count_; ++i) {
    if (threads_[i].alive() && threads_[i].slot->state == ThreadState::kReady &&
        !threads_[i].timed_lock && find_cycle(threads_[i])) {
      end_execution(ControlEnding::kDeadlock);
      return Quiet::kOver;
    }
  }
  const bool skips = b.mode == ControlMode::kClients && standstill_.may_skip_look();
  const Outside outside =
      skips ? Outside::kAsleep : wait_for_outside(b.grace_ms * kMillisecond_ns, true);
  if (outside == Outside::kEnabledSomebody) return Quiet::kRetry;
  if (!running()) return Quiet::kOver;
  if (outside == Outside::kStillActive) {
    // A busy machine, or a thread outside that computes: what it would have done must not be
    // overtaken by time that costs nothing.
    const Outside longer = wait_for_outside(b.deadlock_grace_ms * kMillisecond_ns, true);
    if (longer == Outside::kEnabledSomebody) return Quiet::kRetry;
    if (longer == Outside::kStillActive) mark_degraded(kDegradedExternalWait);
    if (!running()) return Quiet::kOver;
  }
  if (waits_for_later()) {
    end_execution(ControlEnding::kOutOfOrder);
    return Quiet::kOver;
  }
  const uint64_t virtual_limit_ns = b.forks.virtual_limit_ns;
  if (virtual_limit_ns != 0 && static_cast<uint64_t>(clock_.elapsed_ns()) > virtual_limit_ns) {
    end_execution(ControlEnding::kHang);
    return Quiet::kOver;
  }
  if (b.mode == ControlMode::kClients && standstill_.lasts()) {
    if (wait_for_outside(kBeforeHang_ns, false) == Outside::kEnabledSomebody) return Quiet::kRetry;
    if (!running()) return Quiet::kOver;
    end_as_hang();
    return Quiet::kOver;
  }
  if (fire_earliest_deadline()) return Quiet::kRetry;
  return wait_before_deadlock();
}

// Nothing can move but by threads outside control: they get patience_ms, counted from the last
// progress.
Scheduler::Quiet Scheduler::wait_before_deadlock() {
  if (admit_returned(true)) return Quiet::kRetry;
  ControlBlock& b = block();
  bool outside = b.mode == ControlMode::kClients;
  bool endless = false;  // somebody waits for a descriptor or is away: no deadlock to be had
  for (uint32_t i = 0; i < thread_count_; ++i) {
    const ControlledThread& t = threads_[i];
    if (!t.alive()) continue;
    const ThreadState state = t.slot->state;
    if (state == ThreadState::kExternal) outside = true;
    if (state == ThreadState::kAway || t.polls) (is_context(t) ? outside : endless) = true;
  }
  if (outside || endless) {
    if (quiet_since_ns_ == 0) quiet_since_ns_ = raw::now_ns(CLOCK_MONOTONIC);
    const int64_t limit_ns = endless ? INT64_MAX : b.patience_ms * kMillisecond_ns;
    while (running() && raw::now_ns(CLOCK_MONOTONIC) - quiet_since_ns_ < limit_ns) {
      if (!endless && awaits_only_left_locks()) break;
      if (wait_for_outside(20 * kMillisecond_ns, false) == Outside::kEnabledSomebody) {
        quiet_since_ns_ = 0;
        return Quiet::kRetry;
      }
      outside_retried_ = false;
      if (retry_outside_locks() || admit_returned(true)) return Quiet::kRetry;
    }
    if (!running()) return Quiet::kOver;
    if (outside_can_act()) mark_degraded(kDegradedExternalWait);
    b.waited_out = 1;
  }
  report_waiters();
  end_execution(ControlEnding::kDeadlock);
  return Quiet::kOver;
}

}  // namespace esox
