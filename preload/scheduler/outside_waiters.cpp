// SPDX-License-Identifier: Apache-2.0
#include "preload/scheduler/outside_waiters.h"

#include <pthread.h>

#include <algorithm>

#include "preload/core/raw.h"
#include "preload/core/real.h"

namespace esox {
namespace {

ESOX_REAL_VERSION(pthread_cond_signal, "GLIBC_2.3.2");

// Of `count` waiters: both libraries' and kernel's are queues, so those who came later stay.
void make(const WakeUp& wake, uint32_t count) {
  if (wake.futex_operation >= 0) {
    raw::call(SYS_futex, static_cast<long>(wake.object), wake.futex_operation,
              static_cast<long>(count), 0, 0, static_cast<long>(wake.bitset));
    return;
  }
  auto* cond = reinterpret_cast<pthread_cond_t*>(wake.object);
  for (uint32_t i = 0; i < count; ++i) real_pthread_cond_signal(cond);
}

}  // namespace

constinit OutsideWaiters g_outside_waiters;

uint32_t OutsideWaiters::enter(uint64_t object) {
  const uint64_t moment = moment_.fetch_add(1) + 1;
  for (uint32_t i = 0; i < kPlaces; ++i) {
    const auto number = static_cast<uint32_t>((moment + i) % kPlaces);
    Place& place = places_[number];
    uint64_t free = 0;
    if (!place.object.compare_exchange_strong(free, kTaken)) continue;
    place.since.store(moment);
    place.object.store(object);
    return number;
  }
  unplaced_.fetch_add(1);
  return kPlaces;
}

void OutsideWaiters::leave(uint32_t place) {
  if (place < kPlaces) {
    places_[place].object.store(0);
  } else {
    unplaced_.fetch_sub(1);
  }
}

uint32_t OutsideWaiters::count(uint64_t object, uint64_t until) const {
  uint32_t count = 0;
  for (const Place& place : places_) {
    count += place.object.load() == object && place.since.load() <= until ? 1 : 0;
  }
  return count;
}

uint32_t KeptWakes::keep(const WakeUp& wake) {
  if (g_outside_waiters.overflows()) return 0;
  const uint64_t until = g_outside_waiters.moment();
  const uint32_t waiters = std::min(wake.most, g_outside_waiters.count(wake.object, until));
  if (waiters == 0) return 0;
  const uint32_t count = count_.load();
  for (uint32_t i = 0; i < count; ++i) {
    Kept& kept = kept_[i];
    if (kept.wake.object != wake.object || kept.wake.futex_operation != wake.futex_operation ||
        kept.wake.bitset != wake.bitset) {
      continue;
    }
    kept.until = until;
    kept.wake.most =
        wake.most > UINT32_MAX - kept.wake.most ? UINT32_MAX : kept.wake.most + wake.most;
    return waiters;
  }
  if (count == kMost) return 0;
  kept_[count] = {wake, until};
  count_.store(count + 1);
  return waiters;
}

bool KeptWakes::any_of(uint64_t object) const {
  const uint32_t count = count_.load();
  return std::any_of(kept_, kept_ + count,
                     [&](const Kept& kept) { return kept.wake.object == object; });
}

bool KeptWakes::deliver() {
  const uint32_t count = count_.load();
  if (count == 0) return false;
  count_.store(0);
  for (uint32_t i = 0; i < count; ++i) {
    const uint32_t waiters = g_outside_waiters.count(kept_[i].wake.object, kept_[i].until);
    if (waiters > 0) make(kept_[i].wake, std::min(kept_[i].wake.most, waiters));
  }
  return true;
}

}  // namespace esox
