// SPDX-License-Identifier: Apache-2.0
// System calls made without libc, so that the scheduler never passes through its own hooks and
// never touches errno.
#pragma once

#include <linux/futex.h>
#include <sys/syscall.h>
#include <time.h>

#include <atomic>
#include <cstdint>

namespace esox::raw {

inline long call(long number, long a = 0, long b = 0, long c = 0, long d = 0, long e = 0,
                 long f = 0) {
  long result;
  register long r10 asm("r10") = d;
  register long r8 asm("r8") = e;
  register long r9 asm("r9") = f;
  asm volatile("syscall"
               : "=a"(result)
               : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
               : "rcx", "r11", "memory");
  return result;
}

template <class T>
inline long address(T* pointer) {
  return reinterpret_cast<long>(pointer);
}

inline uint32_t thread_id() {
  return static_cast<uint32_t>(call(SYS_gettid));
}

// Waits while *word == expected, at most `timeout_ns` (< 0: without limit). The word may be shared
// with the harness, so FUTEX_PRIVATE is not used.
template <class Word>
inline void futex_wait(std::atomic<Word>* word, Word expected, int64_t timeout_ns = -1) {
  static_assert(sizeof(Word) == 4);
  timespec timeout{timeout_ns / 1'000'000'000, timeout_ns % 1'000'000'000};
  call(SYS_futex, address(word), FUTEX_WAIT, static_cast<long>(static_cast<uint32_t>(expected)),
       timeout_ns < 0 ? 0 : address(&timeout));
}

template <class Word>
inline void futex_wake(std::atomic<Word>* word, int count) {
  call(SYS_futex, address(word), FUTEX_WAKE, count);
}

inline int64_t now_ns(clockid_t clock) {
  timespec now{};
  call(SYS_clock_gettime, clock, address(&now));
  return now.tv_sec * 1'000'000'000 + now.tv_nsec;
}

}  // namespace esox::raw
