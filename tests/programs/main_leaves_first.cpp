// SPDX-License-Identifier: Apache-2.0
// No bug: main ends by pthread_exit while others go on, one of them ends by pthread_exit deep
// inside, and all have a key whose destructor locks. The last thread awaits those destructors.
//
// Depth: none. A 42, or no end, is a fault of the tool.
#include <pthread.h>
#include <unistd.h>

namespace {

pthread_mutex_t g_lock = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t g_changed = PTHREAD_COND_INITIALIZER;
pthread_key_t g_key;
int g_destroyed = 0;  // guarded by g_lock

void destroy(void*) {
  pthread_mutex_lock(&g_lock);
  ++g_destroyed;
  pthread_cond_broadcast(&g_changed);
  pthread_mutex_unlock(&g_lock);
}

void* leave_early(void*) {
  pthread_setspecific(g_key, &g_key);
  pthread_exit(nullptr);
}

void* await_the_others(void*) {
  pthread_mutex_lock(&g_lock);
  while (g_destroyed < 2) pthread_cond_wait(&g_changed, &g_lock);
  pthread_mutex_unlock(&g_lock);
  _exit(0);
}

}  // namespace

int main() {
  pthread_key_create(&g_key, destroy);
  pthread_setspecific(g_key, &g_key);
  pthread_t threads[2];
  pthread_create(&threads[0], nullptr, leave_early, nullptr);
  pthread_create(&threads[1], nullptr, await_the_others, nullptr);
  pthread_exit(nullptr);
}
