// SPDX-License-Identifier: Apache-2.0
// Bug: members of two classes share a resource. The first of a class to come in takes the resource,
// the last to leave gives it back, and both are done under the mutex that guards the counts:
// whoever waits for the resource there keeps its holder from giving it back.
//
// Depth 2: one preemption, in the holder's stay.
#include <pthread.h>

namespace {

pthread_mutex_t g_counts = PTHREAD_MUTEX_INITIALIZER;
pthread_mutex_t g_resource = PTHREAD_MUTEX_INITIALIZER;
int g_inside[2] = {0, 0};

void* visit(void* which) {
  int& inside = *static_cast<int*>(which);
  pthread_mutex_lock(&g_counts);
  if (++inside == 1) pthread_mutex_lock(&g_resource);
  pthread_mutex_unlock(&g_counts);

  pthread_mutex_lock(&g_counts);
  if (--inside == 0) pthread_mutex_unlock(&g_resource);
  pthread_mutex_unlock(&g_counts);
  return nullptr;
}

void* stand_by(void*) {
  return nullptr;
}

}  // namespace

int main() {
  pthread_t threads[4];
  pthread_create(&threads[0], nullptr, visit, &g_inside[0]);
  pthread_create(&threads[1], nullptr, visit, &g_inside[1]);
  pthread_create(&threads[2], nullptr, stand_by, nullptr);
  pthread_create(&threads[3], nullptr, stand_by, nullptr);
  for (pthread_t thread : threads) pthread_join(thread, nullptr);
  return 0;
}
