// SPDX-License-Identifier: Apache-2.0
// Bug: setters write two values that belong together in two critical sections; whoever checks them
// meanwhile sees one of them set. With more setters the gap is open as long, and the schedules in
// which the check meets it are fewer: the argument says how many there are (default 3).
//
// Depth 2: one preemption, in the first setter's gap.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

namespace {

constexpr int kMostSetters = 32;
pthread_mutex_t g_lock = PTHREAD_MUTEX_INITIALIZER;
int g_a = 0;
int g_b = 0;
bool g_saw_half = false;  // by the checker; read after it was joined

void assign(int& to, int value) {
  pthread_mutex_lock(&g_lock);
  to = value;
  pthread_mutex_unlock(&g_lock);
}

void* set_both(void*) {
  assign(g_a, 1);
  assign(g_b, -1);
  return nullptr;
}

void* check(void*) {
  pthread_mutex_lock(&g_lock);
  g_saw_half = g_a != -g_b;
  pthread_mutex_unlock(&g_lock);
  return nullptr;
}

}  // namespace

int main(int argc, char** argv) {
  int setters = argc > 1 ? atoi(argv[1]) : 3;
  if (setters < 1 || setters > kMostSetters) setters = 3;
  pthread_t threads[kMostSetters + 1];
  for (int i = 0; i < setters; ++i) pthread_create(&threads[i], nullptr, set_both, nullptr);
  pthread_create(&threads[setters], nullptr, check, nullptr);
  for (int i = 0; i <= setters; ++i) pthread_join(threads[i], nullptr);
  if (!g_saw_half) return 0;
  fputs("reordered_setters: one value was set and the other was not\n", stderr);
  return 42;
}
