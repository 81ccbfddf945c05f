// SPDX-License-Identifier: Apache-2.0
// The example of Yuan's thesis (2020), figure 3.1: an assertion fails in one of the program's 12
// partial orders. Every access of the figure is a critical section here.
//
// What happens how often is computed by tests/models/program_models.cpp.
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>

namespace {

struct Guarded {
  pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
  int value = 0;
};

Guarded g_x;
Guarded g_y;
Guarded g_z;
sem_t g_w;
bool g_failed = false;  // by the first thread; read after it was joined

void put(Guarded& variable, int value) {
  pthread_mutex_lock(&variable.lock);
  variable.value = value;
  pthread_mutex_unlock(&variable.lock);
}

void add_one(Guarded& variable) {
  pthread_mutex_lock(&variable.lock);
  ++variable.value;
  pthread_mutex_unlock(&variable.lock);
}

int get(Guarded& variable) {
  pthread_mutex_lock(&variable.lock);
  const int value = variable.value;
  pthread_mutex_unlock(&variable.lock);
  return value;
}

void* first(void*) {
  add_one(g_x);
  add_one(g_y);
  sem_post(&g_w);
  g_failed = get(g_z) >= 5;
  return nullptr;
}

void* second(void*) {
  put(g_x, 1);
  const int a = get(g_x);
  put(g_y, a);
  sem_wait(&g_w);
  const int b = get(g_y);
  put(g_z, a + b);
  return nullptr;
}

}  // namespace

int main() {
  sem_init(&g_w, 0, 0);
  pthread_t threads[2];
  pthread_create(&threads[0], nullptr, first, nullptr);
  pthread_create(&threads[1], nullptr, second, nullptr);
  for (pthread_t thread : threads) pthread_join(thread, nullptr);
  if (!g_failed) return 0;
  fputs("figure_3_1: z is 5 or more\n", stderr);
  return 42;
}
