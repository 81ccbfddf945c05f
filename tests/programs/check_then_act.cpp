// SPDX-License-Identifier: Apache-2.0
// Bug: a withdrawal checks the balance in one critical section and takes the money in another. Two
// withdrawals that both check first both take it.
//
// Depth 2: one preemption, between check and act of whoever comes first.
// Expected hit probability per run, computed exactly by tests/unit/strategy (rule C: both threads
// exist before either runs; a point at every create, thread start, lock, unlock and join; 3
// threads, 14 points):
//   random walk p=1   0.4375
//   pct d=1, 2, 3     0, 0.143, 0.245     guarantee at d=2: 1 / (3 * 14) = 0.024
#include <pthread.h>
#include <stdio.h>

namespace {

pthread_mutex_t g_lock = PTHREAD_MUTEX_INITIALIZER;
int g_balance = 100;

void* withdraw(void*) {
  pthread_mutex_lock(&g_lock);
  const bool enough = g_balance >= 100;
  pthread_mutex_unlock(&g_lock);
  if (!enough) return nullptr;

  pthread_mutex_lock(&g_lock);
  g_balance -= 100;
  pthread_mutex_unlock(&g_lock);
  return nullptr;
}

}  // namespace

int main() {
  pthread_t threads[2];
  for (pthread_t& thread : threads) pthread_create(&thread, nullptr, withdraw, nullptr);
  for (pthread_t thread : threads) pthread_join(thread, nullptr);
  if (g_balance == 0) return 0;
  fprintf(stderr, "check_then_act: the balance is %d\n", g_balance);
  return 42;
}
