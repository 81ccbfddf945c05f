// SPDX-License-Identifier: Apache-2.0
// Bug: two threads add to a sum and a third checks it, under one mutex, in whatever order they
// come. Only if the check is last does it see the sum that it takes for impossible.
//
// Depth 1: an order of three sections. The C library tells the failed assertion on stderr.
#undef NDEBUG
#include <assert.h>
#include <pthread.h>

namespace {

pthread_mutex_t g_lock = PTHREAD_MUTEX_INITIALIZER;
int g_sum = 0;

void* add_one(void*) {
  pthread_mutex_lock(&g_lock);
  g_sum += 1;
  pthread_mutex_unlock(&g_lock);
  return nullptr;
}

void* add_two(void*) {
  pthread_mutex_lock(&g_lock);
  g_sum += 2;
  pthread_mutex_unlock(&g_lock);
  return nullptr;
}

void* check(void*) {
  pthread_mutex_lock(&g_lock);
  assert(g_sum < 3);
  pthread_mutex_unlock(&g_lock);
  return nullptr;
}

}  // namespace

int main() {
  pthread_t threads[3];
  pthread_create(&threads[0], nullptr, add_one, nullptr);
  pthread_create(&threads[1], nullptr, add_two, nullptr);
  pthread_create(&threads[2], nullptr, check, nullptr);
  for (pthread_t thread : threads) pthread_join(thread, nullptr);
  return 0;
}
