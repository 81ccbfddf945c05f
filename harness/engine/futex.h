// SPDX-License-Identifier: Apache-2.0
// Words of shared memory on which esox and a process under its control wait for each other.
#pragma once

#include <linux/futex.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <climits>

namespace esox {

// Not FUTEX_PRIVATE: the other side is another process.
template <class T>
void futex_wake(std::atomic<T>& word) {
  static_assert(sizeof(T) == 4);
  syscall(SYS_futex, &word, FUTEX_WAKE, INT_MAX, nullptr, nullptr, 0);
}

// Until the word is woken or is no longer what was seen, at most so long; may return early.
template <class T>
void futex_wait(std::atomic<T>& word, T seen, std::chrono::microseconds limit) {
  const timespec timeout{limit.count() / 1'000'000, limit.count() % 1'000'000 * 1000};
  syscall(SYS_futex, &word, FUTEX_WAIT, static_cast<uint32_t>(seen), &timeout, nullptr, 0);
}

}  // namespace esox
