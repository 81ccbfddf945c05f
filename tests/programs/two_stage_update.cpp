// SPDX-License-Identifier: Apache-2.0
// Bug: a writer updates two values that belong together in two critical sections; a reader that
// comes in between sees the first one new and the second one old.
//
// Depth 2: one preemption, in the writer's gap.
// Expected hit probability per run, computed exactly by tests/unit/strategy (rule C: both threads
// exist before either runs; a point at every create, thread start, lock, unlock and join; 3
// threads, 14 points):
//   random walk p=1   0.055
//   pct d=1, 2, 3     0, 0.071, 0.112     guarantee at d=2: 1 / (3 * 14) = 0.024
#include <pthread.h>
#include <stdio.h>

namespace {

pthread_mutex_t g_first_lock = PTHREAD_MUTEX_INITIALIZER;
pthread_mutex_t g_second_lock = PTHREAD_MUTEX_INITIALIZER;
int g_first = 0;
int g_second = 0;
bool g_saw_gap = false;  // by the reader; read after it was joined

void* write_both(void*) {
  pthread_mutex_lock(&g_first_lock);
  g_first = 1;
  pthread_mutex_unlock(&g_first_lock);

  pthread_mutex_lock(&g_second_lock);
  g_second = 2;
  pthread_mutex_unlock(&g_second_lock);
  return nullptr;
}

void* read_both(void*) {
  pthread_mutex_lock(&g_first_lock);
  const int first = g_first;
  pthread_mutex_unlock(&g_first_lock);
  if (first == 0) return nullptr;

  pthread_mutex_lock(&g_second_lock);
  g_saw_gap = g_second != first + 1;
  pthread_mutex_unlock(&g_second_lock);
  return nullptr;
}

}  // namespace

int main() {
  pthread_t threads[2];
  pthread_create(&threads[0], nullptr, write_both, nullptr);
  pthread_create(&threads[1], nullptr, read_both, nullptr);
  for (pthread_t thread : threads) pthread_join(thread, nullptr);
  if (!g_saw_gap) return 0;
  fputs("two_stage_update: the reader saw the first value new and the second one old\n", stderr);
  return 42;
}
