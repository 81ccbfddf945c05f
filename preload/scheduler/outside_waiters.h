// SPDX-License-Identifier: Apache-2.0
// Threads outside control that wait on a condition variable or a futex, or sleep; and the wake-ups
// by controlled threads that are kept back from them until no controlled thread can run.
//
// Woken at once, such a thread would run beside the controlled ones, and whether it meets them at a
// lock would be the machine's doing: of 600 executions of MySQL 5.6, whose commits wake the purge
// coordinator, 14 were different the second time. To be woken late is what any thread must bear. To
// be woken for nothing is not (there is code that waits once, without a loop), so a wake-up is for
// those only who waited when it was made: one that finds nobody waiting is not kept.
//
// On a condition variable a server's thread does not wait in the C library but *parked*, here: so a
// signal wakes exactly whom it is for, and an execution can take the thread under control where it
// stands (scheduler/contexts.cpp). It sleeps so, too, and polls so if it does for a limited time:
// what it does when that is over is then part of the schedule. What it polls for comes from
// outside; if it comes first, the thread goes on outside. One that polls without limit does it here
// as well, for if a client ends the server, it is that client who tells it. The C library's own
// waits remain for programs, and where no place is left.
#pragma once

#include <poll.h>
#include <time.h>

#include <atomic>
#include <cstdint>

#include "preload/protocol/layout.h"
#include "preload/protocol/trace_event.h"
#include "preload/scheduler/virtual_clock.h"

namespace esox {

struct ControlledThread;

// Interrupts a thread that computes (spinner.cpp) or polls in its place. Next to kParkSignal
// (protocol/snapshot.h), where no server's own are; the hook of sigaction gives neither away.
inline constexpr int kInterruptSignal = 62;

// By its handler, and that of kParkSignal: what call it interrupts was not by the server's signal.
void note_interruption();

// What of a parked thread's wait is needed to go on with it under control.
struct ParkedWait {
  uint64_t object = 0;  // the condition variable; of a sleep, what nobody wakes
  uint64_t mutex = 0;   // to be taken again; 0: a sleep
  bool reentrant = false;
  uint64_t site = 0;
  clockid_t clock = CLOCK_MONOTONIC;
  const timespec* until = nullptr;  // by the process's clock; null: without limit
  uint64_t handle = 0;              // pthread_t
  uint32_t tid = 0;
  pollfd* fds = nullptr;  // of one that polls
  uint32_t fd_count = 0;
  uint64_t since = 0;  // the moment when it began, under control; 0: now

  bool polls_without_limit() const { return fds != nullptr && until == nullptr; }
};

struct WaitingPlace {
  enum State : uint32_t {
    kInKernel = 0,  // a futex, or the C library: not ours to wake
    kParked = 1,
    kWoken = 2,
    kTimedOut = 3,
    kAdopted = 4,      // parked, and under control: the scheduler finds it by its slot
    kChosen = 5,       // adopted, and to go on under control
    kInterrupted = 6,  // a poll, by a signal
  };
  std::atomic<uint64_t> object{0};  // 0: free
  std::atomic<uint64_t> since{0};   // when it came, by moment()
  // Futex of the parked thread: the state, and above it which wait it is of, lest a wake-up for one
  // reaches another that has taken the place meanwhile.
  std::atomic<uint32_t> word{kInKernel};
  std::atomic<uint32_t> sleeper{0};  // tid of a parked one that does nothing but sleep
  std::atomic<uint32_t> poller{0};   // tid of one that polls: who changes the state interrupts it
  std::atomic<uint32_t> tellers{0};  // who are about to
  std::atomic<bool> limited{false};
  // What the kernel was given, here: whoever looks may come late, and a life that begins moves it
  // (snapshot/agent.cpp).
  timespec until{};
  clockid_t clock = CLOCK_MONOTONIC;
  ParkedWait wait;                     // of a parked one
  ControlledThread* thread = nullptr;  // of one adopted

  static uint32_t state_of(uint32_t word) { return word & kStates; }
  uint32_t state() const { return state_of(word.load()); }
  // The same wait in another state.
  static uint32_t changed(uint32_t word, State state) { return (word & ~kStates) | state; }
  void change(State state) { word.store(changed(word.load(), state)); }
  static constexpr uint32_t kStates = 7;
};

// Lock-free: threads outside control come and go at any time, also while nothing is controlled.
class OutsideWaiters {
 public:
  static constexpr uint32_t kPlaces = 128;

  // The place that the thread has while it waits; null if there is none left.
  WaitingPlace* enter(uint64_t object);
  void leave(WaitingPlace* place);

  // A parked thread's place, from before it gives its mutex back; the thread then sleeps there
  // until it is woken, its time (by the kernel's clock) is over, or it is chosen: the state by
  // which it goes on. For somebody else, too, who sleeps elsewhere and will come to sleep here.
  WaitingPlace* park(const ParkedWait& wait);
  uint32_t sleep(WaitingPlace& place, clockid_t clock, const timespec* until);
  // The same by polling, for so long as is left (less than nothing: without limit): kWoken if a
  // descriptor is ready, or the call is wrong, which a call of the caller's own then says;
  // kInterrupted by a signal of the server's. If that is while the thread is adopted, it goes on if
  // `withdraw` takes it out of control, in that state.
  using Withdraw = bool (*)(WaitingPlace& place, WaitingPlace::State state);
  uint32_t poll(WaitingPlace& place, pollfd* fds, uint32_t count, timespec left, Withdraw withdraw);
  // Wakes so many of those parked on the object up to that moment, the first to come first. How
  // many there were.
  uint32_t wake(uint64_t object, uint32_t most, uint64_t until = UINT64_MAX);
  // The thread is to be cancelled: it goes on, if it is parked.
  void wake_thread(uint64_t handle);
  enum class Whom { kAllButEndlessPolls, kAll, kEndlessPollsAlone };
  // Those that are parked (of polls without limit all or none), at most so many: no wake-up finds
  // them any more. How many.
  uint32_t adopt(WaitingPlace** places, uint32_t most, Whom whom = Whom::kAllButEndlessPolls);
  // Those parked that sleep until they are woken or their time is over, which it is not. How many.
  uint32_t sleepers(uint32_t* tids, uint32_t most) const;
  // Those who are parked by now have at least so long from now. An execution begins with it: what
  // a server does every ten milliseconds (MySQL 9.7's log files governor, with the log's mutex)
  // would meet its clients or not as the machine has it. A snapshot's lives begin so already.
  void give_time(int64_t ns);
  // Those parked go on whose time is over, by the process's clock.
  void end_what_is_due(const VirtualClock& process_clock);
  // Gives an adopted one back, or lets it go on.
  static void wake_up(WaitingPlace& place, WaitingPlace::State state);

  // All who began to wait until now have a moment up to this.
  uint64_t moment() const { return moment_.load(); }
  // Those who began to wait on the object up to that moment.
  uint32_t count(uint64_t object, uint64_t until) const;
  // Somebody found no place: who waits on what is not known.
  bool overflows() const { return unplaced_.load() != 0; }

 private:
  static constexpr uint64_t kTaken = 1;  // and not yet by whom
  WaitingPlace* take_place(uint64_t* moment);
  uint32_t sleep_on(WaitingPlace& place, clockid_t clock);
  uint32_t poll_on(WaitingPlace& place, pollfd* fds, uint32_t count, timespec& left,
                   uint64_t signals, Withdraw withdraw);
  int64_t given_time_ns(const WaitingPlace& place) const;  // what is left of it
  bool is_given_time(WaitingPlace& place, clockid_t clock) const;
  WaitingPlace places_[kPlaces];
  std::atomic<uint64_t> moment_{0};
  std::atomic<uint64_t> given_moment_{0};   // who began to wait up to then is given time
  std::atomic<int64_t> given_until_ns_{0};  // CLOCK_MONOTONIC
  std::atomic<uint32_t> unplaced_{0};
};

extern constinit OutsideWaiters g_outside_waiters;

// As long as a thread outside control waits in the kernel.
class OutsideWait {
 public:
  explicit OutsideWait(const volatile void* object)
      : place_(g_outside_waiters.enter(reinterpret_cast<uint64_t>(object))) {}
  ~OutsideWait() { g_outside_waiters.leave(place_); }
  OutsideWait(const OutsideWait&) = delete;
  OutsideWait& operator=(const OutsideWait&) = delete;

 private:
  WaitingPlace* place_;
};

// A wake-up: of at most `most` waiters of the object. `futex_operation` is that of futex(2), or -1
// for a condition variable.
struct WakeUp {
  uint64_t object;
  uint32_t most;
  int futex_operation = -1;
  uint32_t bitset = ~0u;
};

// Guarded by the scheduler's lock.
class KeptWakes {
 public:
  // How many threads it is kept back from; 0: it is not kept, and is the caller's to make.
  uint32_t keep(const WakeUp& wake);
  bool any() const { return count_.load(std::memory_order_relaxed) != 0; }
  bool any_of(uint64_t object) const;
  // The end of a connection whose thread waits outside for its client (a killed session's).
  void keep_hang_up(ThreadId client, int fd);
  bool any_hang_up() const { return hang_ups_ != 0; }
  // Makes those that still have somebody to wake; false: there was none.
  bool deliver();
  void forget();

 private:
  static constexpr uint32_t kMost = 32;
  struct Kept {
    WakeUp wake;
    uint64_t until;
  };
  Kept kept_[kMost]{};
  uint32_t hang_ups_ = 0;  // a bit per client
  int descriptors_[kMaxClients]{};
  std::atomic<uint32_t> count_{0};  // read without the lock by any()
};

}  // namespace esox
