// SPDX-License-Identifier: Apache-2.0
// Bug: three stations pass a token on, each copying it from the one before, and take for granted
// that they do so in the order of the ring.
//
// Depth 1: any order of the three sections but the ring's.
#include <pthread.h>
#include <stdio.h>

namespace {

pthread_mutex_t g_lock = PTHREAD_MUTEX_INITIALIZER;
int g_token[4] = {1, 0, 0, 0};

void* pass_on(void* station) {
  int* mine = static_cast<int*>(station);
  pthread_mutex_lock(&g_lock);
  *mine = mine[-1];
  pthread_mutex_unlock(&g_lock);
  return nullptr;
}

}  // namespace

int main() {
  pthread_t threads[3];
  for (int i = 0; i < 3; ++i) pthread_create(&threads[i], nullptr, pass_on, &g_token[i + 1]);
  for (pthread_t thread : threads) pthread_join(thread, nullptr);
  if (g_token[3] == 1) return 0;
  fputs("token_ring: the token did not come round\n", stderr);
  return 42;
}
