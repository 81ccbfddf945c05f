// SPDX-License-Identifier: Apache-2.0
// Bug: one thread initialises, another one uses, and nobody makes the second wait for the first: if
// it comes first the program aborts, as an assertion does.
//
// Depth 1: one ordering. Shows as SIGABRT.
#include <pthread.h>
#include <stdlib.h>

namespace {

pthread_mutex_t g_lock = PTHREAD_MUTEX_INITIALIZER;
bool g_initialised = false;

void* initialise(void*) {
  pthread_mutex_lock(&g_lock);
  g_initialised = true;
  pthread_mutex_unlock(&g_lock);
  return nullptr;
}

void* use(void*) {
  pthread_mutex_lock(&g_lock);
  if (!g_initialised) abort();
  pthread_mutex_unlock(&g_lock);
  return nullptr;
}

}  // namespace

int main() {
  pthread_t threads[2];
  pthread_create(&threads[0], nullptr, initialise, nullptr);
  pthread_create(&threads[1], nullptr, use, nullptr);
  for (pthread_t thread : threads) pthread_join(thread, nullptr);
  return 0;
}
