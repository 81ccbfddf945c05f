// SPDX-License-Identifier: Apache-2.0
// No bug: a thread that waits for a condition is cancelled. Cancellation cannot be controlled (a
// thread parked in a virtual wait does not notice it), which the tool has to say.
//
// Depth: none. Ends by itself without control.
#include <pthread.h>

namespace {

pthread_mutex_t g_lock = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t g_never = PTHREAD_COND_INITIALIZER;

void unlock(void*) {
  pthread_mutex_unlock(&g_lock);
}

void* wait_for_ever(void*) {
  pthread_mutex_lock(&g_lock);
  pthread_cleanup_push(unlock, nullptr);
  while (true) pthread_cond_wait(&g_never, &g_lock);
  pthread_cleanup_pop(1);
  return nullptr;
}

}  // namespace

int main() {
  pthread_t thread;
  pthread_create(&thread, nullptr, wait_for_ever, nullptr);
  pthread_cancel(thread);
  pthread_join(thread, nullptr);
  return 0;
}
