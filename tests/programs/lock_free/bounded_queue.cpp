// SPDX-License-Identifier: Apache-2.0
// A bounded queue for one producer and one consumer: a ring, an index that each side owns.
//
// Seeded bug: the producer moves its index on before it has written the item. A consumer that comes
// between takes what was in the place before. One preemption, at a plain write.
#include <atomic>

#include "tests/programs/lock_free/lock_free.h"

namespace {

constexpr unsigned kPlaces = 2;
constexpr int kItems = 4;
constexpr int kTries = 8;

int g_places[kPlaces];
std::atomic<unsigned> g_put{0};
std::atomic<unsigned> g_taken{0};

template <bool kSeeded>
bool put(int item) {
  const unsigned at = g_put.load(std::memory_order_relaxed);
  if (at - g_taken.load(std::memory_order_acquire) == kPlaces) return false;
  if (kSeeded) g_put.store(at + 1, std::memory_order_release);
  g_places[at % kPlaces] = item;
  if (!kSeeded) g_put.store(at + 1, std::memory_order_release);
  return true;
}

bool take(int* item) {
  const unsigned at = g_taken.load(std::memory_order_relaxed);
  if (at == g_put.load(std::memory_order_acquire)) return false;
  *item = g_places[at % kPlaces];
  g_taken.store(at + 1, std::memory_order_release);
  return true;
}

template <bool kSeeded>
void* produce(void*) {
  int next = 1;
  for (int i = 0; i < kTries && next <= kItems; ++i) {
    if (put<kSeeded>(next)) ++next;
  }
  return nullptr;
}

void* consume(void*) {
  int expected = 1;
  for (int i = 0; i < kTries; ++i) {
    int item = 0;
    if (!take(&item)) continue;
    if (item != expected) lock_free::show_bug("bounded_queue", "took", item);
    ++expected;
  }
  return nullptr;
}

template <bool kSeeded>
struct BoundedQueue {
  static int run(int) {
    lock_free::run_threads({produce<kSeeded>, consume});
    return 0;
  }
};

}  // namespace

int main(int argc, char** argv) {
  return lock_free::run_as_told<BoundedQueue>(argc, argv);
}
