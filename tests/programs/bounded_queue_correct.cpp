// SPDX-License-Identifier: Apache-2.0
// No bug: a bounded queue with two producers and two consumers, mutex and two condition variables,
// predicates in loops. Every item must arrive exactly once, under every schedule; there is no
// deadlock either: each signal goes to a condition on which only one kind of thread waits.
//
// Depth: none. Hit probability: 0 under any strategy; a 42 or a reported deadlock is a fault of the
// tool (a lost or misdirected wake-up, a broken lock).
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>

namespace {

constexpr int kCapacity = 2;
constexpr int kProducers = 2;
constexpr int kConsumers = 2;
constexpr int kItemsEach = 6;  // per producer, and per consumer

pthread_mutex_t g_lock = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t g_not_full = PTHREAD_COND_INITIALIZER;
pthread_cond_t g_not_empty = PTHREAD_COND_INITIALIZER;
int g_items[kCapacity];
int g_count = 0;
int g_head = 0;
int g_seen[kProducers * kItemsEach];  // guarded by g_lock

void put(int item) {
  pthread_mutex_lock(&g_lock);
  while (g_count == kCapacity) pthread_cond_wait(&g_not_full, &g_lock);
  g_items[(g_head + g_count) % kCapacity] = item;
  ++g_count;
  pthread_cond_signal(&g_not_empty);
  pthread_mutex_unlock(&g_lock);
}

void take() {
  pthread_mutex_lock(&g_lock);
  while (g_count == 0) pthread_cond_wait(&g_not_empty, &g_lock);
  ++g_seen[g_items[g_head]];
  g_head = (g_head + 1) % kCapacity;
  --g_count;
  pthread_cond_signal(&g_not_full);
  pthread_mutex_unlock(&g_lock);
}

void* produce(void* first_item) {
  const auto first = static_cast<int>(reinterpret_cast<intptr_t>(first_item));
  for (int i = 0; i < kItemsEach; ++i) put(first + i);
  return nullptr;
}

void* consume(void*) {
  for (int i = 0; i < kItemsEach; ++i) take();
  return nullptr;
}

}  // namespace

int main() {
  static_assert(kProducers == kConsumers, "as many items are taken as are put");
  pthread_t threads[kProducers + kConsumers];
  for (int i = 0; i < kProducers; ++i) {
    void* first_item = reinterpret_cast<void*>(static_cast<intptr_t>(i * kItemsEach));
    pthread_create(&threads[i], nullptr, produce, first_item);
  }
  for (int i = 0; i < kConsumers; ++i) {
    pthread_create(&threads[kProducers + i], nullptr, consume, nullptr);
  }
  for (pthread_t thread : threads) pthread_join(thread, nullptr);
  for (int item = 0; item < kProducers * kItemsEach; ++item) {
    if (g_seen[item] == 1) continue;
    fprintf(stderr, "bounded_queue_correct: item %d arrived %d times\n", item, g_seen[item]);
    return 42;
  }
  return 0;
}
