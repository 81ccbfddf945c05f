// SPDX-License-Identifier: Apache-2.0
// For measurements. Two threads lock and unlock mutexes of their own, N times each (the argument,
// default 1000), and nothing else: 2 N scheduling points each.
#include <pthread.h>
#include <stdlib.h>

namespace {

long g_times = 1000;

struct alignas(128) Own {
  pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
};
Own g_own[2];

void* lock_and_unlock(void* own) {
  pthread_mutex_t& lock = static_cast<Own*>(own)->lock;
  for (long i = 0; i < g_times; ++i) {
    pthread_mutex_lock(&lock);
    pthread_mutex_unlock(&lock);
  }
  return nullptr;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc > 1) g_times = atol(argv[1]);
  pthread_t threads[2];
  for (int i = 0; i < 2; ++i) pthread_create(&threads[i], nullptr, lock_and_unlock, &g_own[i]);
  for (pthread_t thread : threads) pthread_join(thread, nullptr);
  return 0;
}
