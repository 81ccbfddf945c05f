// SPDX-License-Identifier: Apache-2.0
// No bug: linked with a library (early_library.cpp) whose constructor and destructor create
// threads, lock and wait: calls that come before the preload's constructor has run, and after main
// returned.
//
// Depth: none. A 42, or no end, is a fault of the tool.
#include <pthread.h>

int early_uses();

namespace {

pthread_mutex_t g_lock = PTHREAD_MUTEX_INITIALIZER;
int g_counter = 0;

void* count(void*) {
  pthread_mutex_lock(&g_lock);
  ++g_counter;
  pthread_mutex_unlock(&g_lock);
  return nullptr;
}

}  // namespace

int main() {
  pthread_t threads[2];
  for (pthread_t& thread : threads) pthread_create(&thread, nullptr, count, nullptr);
  for (pthread_t thread : threads) pthread_join(thread, nullptr);
  return early_uses() == 1 && g_counter == 2 ? 0 : 42;
}
