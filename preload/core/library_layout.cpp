// SPDX-License-Identifier: Apache-2.0
#include "preload/core/library_layout.h"

#include <string.h>

#include <atomic>
#include <cstdint>

#include "preload/core/die.h"
#include "preload/core/real.h"

namespace esox {
namespace {

ESOX_REAL(pthread_once);

// Where two objects of the same type differ that differ in one attribute.
struct Bits {
  size_t byte = 0;
  unsigned char mask = 0;   // 0: they differ nowhere, or in more than one byte
  unsigned char value = 0;  // of the object that has the attribute, under the mask
};

// Published whole, for threads may look up at once what they find alike. 0: not looked up yet.
class PublishedBits {
 public:
  Bits get() {
    uint32_t packed = packed_.load(std::memory_order_acquire);
    if (packed == 0) {
      look_up_library_layout();
      packed = packed_.load(std::memory_order_acquire);
    }
    return {packed >> 16, static_cast<unsigned char>(packed >> 8),
            static_cast<unsigned char>(packed)};
  }
  void publish(const Bits& bits) {
    packed_.store(static_cast<uint32_t>(bits.byte << 16 | bits.mask << 8 | bits.value),
                  std::memory_order_release);
  }

 private:
  std::atomic<uint32_t> packed_{0};
};

constinit PublishedBits g_clock;
constinit PublishedBits g_shared;
constinit PublishedBits g_recursive;
constinit PublishedBits g_error_checking;
constinit PublishedBits g_running;

unsigned char byte_of(const void* object, size_t at) {
  return static_cast<const unsigned char*>(object)[at];
}

// `without`: every byte that differs is what the attribute is kept in.
Bits difference(const void* without, const void* with, size_t size) {
  Bits found;
  size_t differing = 0;
  for (size_t at = 0; at < size; ++at) {
    const unsigned char mask = byte_of(without, at) ^ byte_of(with, at);
    if (mask == 0) continue;
    ++differing;
    found = {at, mask, static_cast<unsigned char>(byte_of(with, at) & mask)};
  }
  if (differing != 1) found.mask = 0;
  return found;
}

bool has(const void* object, const Bits& bits) {
  return (byte_of(object, bits.byte) & bits.mask) == bits.value;
}

pthread_cond_t cond_by(clockid_t clock, int shared = PTHREAD_PROCESS_PRIVATE) {
  pthread_condattr_t attributes;
  pthread_cond_t made;
  memset(&made, 0, sizeof made);
  pthread_condattr_init(&attributes);
  pthread_condattr_setclock(&attributes, clock);
  pthread_condattr_setpshared(&attributes, shared);
  pthread_cond_init(&made, &attributes);
  pthread_condattr_destroy(&attributes);
  return made;
}

constexpr int kDefaultType = -1;  // that nobody chose: a chosen one may have other bits, of elision

pthread_mutex_t mutex_of(int type) {
  pthread_mutexattr_t attributes;
  pthread_mutex_t made;
  memset(&made, 0, sizeof made);
  pthread_mutexattr_init(&attributes);
  if (type != kDefaultType) pthread_mutexattr_settype(&attributes, type);
  pthread_mutex_init(&made, &attributes);
  pthread_mutexattr_destroy(&attributes);
  return made;
}

// All four kinds share bits: those of one must tell it from each of the others.
Bits bits_of(int type) {
  static constexpr int kTypes[] = {kDefaultType, PTHREAD_MUTEX_RECURSIVE, PTHREAD_MUTEX_ERRORCHECK,
                                   PTHREAD_MUTEX_ADAPTIVE_NP};
  const pthread_mutex_t with = mutex_of(type);
  Bits all;
  for (const int other : kTypes) {
    if (other == type) continue;
    const pthread_mutex_t without = mutex_of(other);
    const Bits one = difference(&without, &with, sizeof with);
    if (one.mask == 0 || (all.mask != 0 && one.byte != all.byte)) return {};
    all.byte = one.byte;
    all.mask |= one.mask;
  }
  all.value = byte_of(&with, all.byte) & all.mask;
  return all;
}

// Seen from within its routine. A second thread waits for the first, or finds it done.
pthread_once_t g_once = PTHREAD_ONCE_INIT;
pthread_once_t g_once_running = PTHREAD_ONCE_INIT;

Bits bits_of_running_once() {
  real_pthread_once(&g_once, [] { memcpy(&g_once_running, &g_once, sizeof g_once); });
  Bits running = difference(&g_once, &g_once_running, sizeof g_once);
  const pthread_once_t plain = PTHREAD_ONCE_INIT;
  if (has(&plain, running)) running.mask = 0;
  return running;
}

void publish(PublishedBits& to, const Bits& bits, const char* what) {
  if (bits.mask == 0) {
    die("esox: this C library keeps ", what,
        " in a place that esox does not find; report it with the library's version\n");
  }
  to.publish(bits);
}

}  // namespace

void look_up_library_layout() {
  const pthread_cond_t by_time = cond_by(CLOCK_REALTIME);
  const pthread_cond_t by_uptime = cond_by(CLOCK_MONOTONIC);
  Bits clock = difference(&by_time, &by_uptime, sizeof by_time);
  const pthread_cond_t plain = PTHREAD_COND_INITIALIZER;
  if (has(&plain, clock)) clock.mask = 0;
  publish(g_clock, clock, "the clock of a condition variable");
  const pthread_cond_t by_others = cond_by(CLOCK_REALTIME, PTHREAD_PROCESS_SHARED);
  Bits shared = difference(&by_time, &by_others, sizeof by_time);
  if (has(&plain, shared)) shared.mask = 0;
  publish(g_shared, shared, "that a condition variable is shared among processes");
  publish(g_recursive, bits_of(PTHREAD_MUTEX_RECURSIVE), "that a mutex is recursive");
  publish(g_error_checking, bits_of(PTHREAD_MUTEX_ERRORCHECK), "that a mutex is error-checking");
  publish(g_running, bits_of_running_once(), "that the routine of a pthread_once runs");
}

// Calls come before the constructor has run: from those of other libraries.
clockid_t clock_of(const pthread_cond_t* cond) {
  return has(cond, g_clock.get()) ? CLOCK_MONOTONIC : CLOCK_REALTIME;
}

bool is_shared(const pthread_cond_t* cond) {
  return has(cond, g_shared.get());
}

bool is_recursive(const pthread_mutex_t* mutex) {
  return has(mutex, g_recursive.get());
}

bool is_error_checking(const pthread_mutex_t* mutex) {
  return has(mutex, g_error_checking.get());
}

bool routine_runs(const pthread_once_t* once) {
  return has(once, g_running.get());
}

}  // namespace esox
