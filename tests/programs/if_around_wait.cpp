// SPDX-License-Identifier: Apache-2.0
// Bug: the predicate of a wait is looked at once (if), not again and again (while). Nobody signals
// before the value is there, so only a spurious wake-up shows it (data choice "spurious").
//
// With the argument "correct" the predicate is looked at until it holds.
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

namespace {

pthread_mutex_t g_lock = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t g_ready = PTHREAD_COND_INITIALIZER;
bool g_correct = false;
bool g_there = false;
int g_value = 0;

void* take(void*) {
  pthread_mutex_lock(&g_lock);
  if (!g_there) pthread_cond_wait(&g_ready, &g_lock);
  while (g_correct && !g_there) pthread_cond_wait(&g_ready, &g_lock);
  const int value = g_value;
  pthread_mutex_unlock(&g_lock);
  if (value == 7) return nullptr;
  fprintf(stderr, "if_around_wait: took a value that was not there\n");
  _exit(42);
}

void* give(void*) {
  pthread_mutex_lock(&g_lock);
  g_value = 7;
  g_there = true;
  pthread_cond_signal(&g_ready);
  pthread_mutex_unlock(&g_lock);
  return nullptr;
}

}  // namespace

int main(int count, char**) {
  g_correct = count > 1;
  pthread_t threads[2];
  pthread_create(&threads[0], nullptr, take, nullptr);
  pthread_create(&threads[1], nullptr, give, nullptr);
  for (pthread_t thread : threads) pthread_join(thread, nullptr);
  return 0;
}
