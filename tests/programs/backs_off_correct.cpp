// SPDX-License-Identifier: Apache-2.0
// Correct: each thread takes two locks in an order of its own, and where the second cannot be had
// gives the first one back and tries again. Two that do so in step never come to their end, however
// fair their turns; any two whose turns are drawn do.
#include <pthread.h>
#include <sched.h>

namespace {

pthread_mutex_t g_locks[2] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};
int g_both = 0;

void* take_both(void* argument) {
  pthread_mutex_t& first = g_locks[argument == nullptr ? 0 : 1];
  pthread_mutex_t& second = g_locks[argument == nullptr ? 1 : 0];
  for (;;) {
    pthread_mutex_lock(&first);
    for (int i = 0; i < 2; ++i) sched_yield();
    if (pthread_mutex_trylock(&second) == 0) break;
    pthread_mutex_unlock(&first);
  }
  ++g_both;
  pthread_mutex_unlock(&second);
  pthread_mutex_unlock(&first);
  return nullptr;
}

}  // namespace

int main() {
  pthread_t threads[2];
  pthread_create(&threads[0], nullptr, take_both, nullptr);
  pthread_create(&threads[1], nullptr, take_both, &g_both);
  for (pthread_t thread : threads) pthread_join(thread, nullptr);
  return g_both == 2 ? 0 : 1;
}
