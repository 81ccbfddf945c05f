// SPDX-License-Identifier: Apache-2.0
// Bug: that of lost_update.cpp, with a lock of the program's own, of an atomic and a futex. Where
// nobody waits it makes no call, and a thread is through both of its sections in one piece: only a
// program that tells of the lock (esox_latch.h) can be caught between them.
//
//   told_latch [untold] [correct]
#include <linux/futex.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>

#include "preload/interpose/esox_latch.h"

namespace {

bool g_tells = true;
bool g_correct = false;

// U. Drepper, "Futexes Are Tricky": free, held, held with somebody waiting.
class Latch {
 public:
  void take() {
    if (g_tells) esox_latch_take(this);
    uint32_t seen = kFree;
    if (word_.compare_exchange_strong(seen, kHeld)) return;
    while (word_.exchange(kAwaited) != kFree) {
      syscall(SYS_futex, &word_, FUTEX_WAIT_PRIVATE, kAwaited, nullptr);
    }
  }
  void leave() {
    if (word_.exchange(kFree) == kAwaited) syscall(SYS_futex, &word_, FUTEX_WAKE_PRIVATE, 1);
    if (g_tells) esox_latch_left(this);
  }

 private:
  enum : uint32_t { kFree = 0, kHeld = 1, kAwaited = 2 };
  std::atomic<uint32_t> word_{kFree};
};

Latch g_latch;
int g_count = 0;

void* add_one(void*) {
  g_latch.take();
  const int count = g_count;
  if (!g_correct) {
    g_latch.leave();
    g_latch.take();
  } else if (g_tells) {
    esox_latch_share(&g_count);  // another one, taken in between: who waits for the first is met
    esox_latch_left(&g_count);
  }
  g_count = count + 1;
  g_latch.leave();
  return nullptr;
}

}  // namespace

int main(int argc, char** argv) {
  for (int i = 1; i < argc; ++i) {
    if (strcmp(argv[i], "untold") == 0) g_tells = false;
    if (strcmp(argv[i], "correct") == 0) g_correct = true;
  }
  pthread_t threads[2];
  for (pthread_t& thread : threads) pthread_create(&thread, nullptr, add_one, nullptr);
  for (pthread_t thread : threads) pthread_join(thread, nullptr);
  if (g_count == 2) return 0;
  fputs("told_latch: an addition is lost\n", stderr);
  return 42;
}
