// SPDX-License-Identifier: Apache-2.0
// Bug: a producer and a consumer of a buffer for one item wait on the same condition variable, and
// are woken by pthread_cond_signal: with two consumers, the signal of one may wake the other
// instead of the producer, which then waits for ever.
//
// Shows as a deadlock without a cycle of locks: nobody is left to wake the others.
#include <pthread.h>

namespace {

pthread_mutex_t g_lock = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t g_changed = PTHREAD_COND_INITIALIZER;
int g_items = 0;

void* consume(void*) {
  pthread_mutex_lock(&g_lock);
  while (g_items == 0) pthread_cond_wait(&g_changed, &g_lock);
  --g_items;
  pthread_cond_signal(&g_changed);
  pthread_mutex_unlock(&g_lock);
  return nullptr;
}

void* produce(void*) {
  for (int i = 0; i < 2; ++i) {
    pthread_mutex_lock(&g_lock);
    while (g_items == 1) pthread_cond_wait(&g_changed, &g_lock);
    ++g_items;
    pthread_cond_signal(&g_changed);
    pthread_mutex_unlock(&g_lock);
  }
  return nullptr;
}

}  // namespace

int main() {
  pthread_t threads[3];
  pthread_create(&threads[0], nullptr, consume, nullptr);
  pthread_create(&threads[1], nullptr, consume, nullptr);
  pthread_create(&threads[2], nullptr, produce, nullptr);
  for (pthread_t thread : threads) pthread_join(thread, nullptr);
  return 0;
}
