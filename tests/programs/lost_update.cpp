// SPDX-License-Identifier: Apache-2.0
// Bug: two threads add one to a counter, each reading it in one critical section and writing it in
// another; where both read before either writes, one addition is lost.
//
// Depth 2: one preemption, between a thread's two sections.
// What happens how often is computed by tests/models/program_models.cpp; of the 6 orders of
// the sections 4 lose an update.
#include <pthread.h>
#include <stdio.h>

namespace {

pthread_mutex_t g_lock = PTHREAD_MUTEX_INITIALIZER;
int g_count = 0;

void* add_one(void*) {
  pthread_mutex_lock(&g_lock);
  const int count = g_count;
  pthread_mutex_unlock(&g_lock);

  pthread_mutex_lock(&g_lock);
  g_count = count + 1;
  pthread_mutex_unlock(&g_lock);
  return nullptr;
}

}  // namespace

int main() {
  pthread_t threads[2];
  for (pthread_t& thread : threads) pthread_create(&thread, nullptr, add_one, nullptr);
  for (pthread_t thread : threads) pthread_join(thread, nullptr);
  if (g_count == 2) return 0;
  fputs("lost_update: an addition is lost\n", stderr);
  return 42;
}
