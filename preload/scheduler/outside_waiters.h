// SPDX-License-Identifier: Apache-2.0
// Threads outside control that wait, for real, on a condition variable or a futex; and the wake-ups
// by controlled threads that are kept back from them until no controlled thread can run.
//
// Woken at once, such a thread would run beside the controlled ones, and whether it meets them at a
// lock would be the machine's doing: of 600 executions of MySQL 5.6, whose commits wake the purge
// coordinator, 14 were different the second time. To be woken late is what any thread must bear. To
// be woken for nothing is not (there is code that waits once, without a loop), so a wake-up is for
// those only who waited when it was made: one that finds nobody waiting is not kept.
#pragma once

#include <atomic>
#include <cstdint>

namespace esox {

// Lock-free: threads outside control come and go at any time, also while nothing is controlled.
class OutsideWaiters {
 public:
  static constexpr uint32_t kPlaces = 128;

  // The place that the thread has while it waits; kPlaces if there is none left.
  uint32_t enter(uint64_t object);
  void leave(uint32_t place);

  // All who began to wait until now have a moment up to this.
  uint64_t moment() const { return moment_.load(); }
  // Those who began to wait on the object up to that moment.
  uint32_t count(uint64_t object, uint64_t until) const;
  // Somebody found no place: who waits on what is not known.
  bool overflows() const { return unplaced_.load() != 0; }

 private:
  static constexpr uint64_t kTaken = 1;  // and not yet by whom
  struct Place {
    std::atomic<uint64_t> object{0};  // 0: free
    std::atomic<uint64_t> since{0};
  };
  Place places_[kPlaces];
  std::atomic<uint64_t> moment_{0};
  std::atomic<uint32_t> unplaced_{0};
};

extern constinit OutsideWaiters g_outside_waiters;

// As long as a thread outside control waits.
class OutsideWait {
 public:
  explicit OutsideWait(const volatile void* object)
      : place_(g_outside_waiters.enter(reinterpret_cast<uint64_t>(object))) {}
  ~OutsideWait() { g_outside_waiters.leave(place_); }
  OutsideWait(const OutsideWait&) = delete;
  OutsideWait& operator=(const OutsideWait&) = delete;

 private:
  uint32_t place_;
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
  // Makes those that still have somebody to wake; false: there was none.
  bool deliver();
  void forget() { count_.store(0); }

 private:
  static constexpr uint32_t kMost = 32;
  struct Kept {
    WakeUp wake;
    uint64_t until;
  };
  Kept kept_[kMost]{};
  std::atomic<uint32_t> count_{0};  // read without the lock by any()
};

}  // namespace esox
