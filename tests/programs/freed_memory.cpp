// SPDX-License-Identifier: Apache-2.0
// Bug: a thread notes where an item is under the mutex, and uses it in a later section, by when
// another thread may have freed it. Left alone, freed memory mostly reads as before, so that this
// shows nowhere. With the argument "twice" it frees the item as well: whoever comes second frees it
// again.
//
// Depth 2: one preemption, between the two sections.
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

namespace {

struct Item {
  Item* next;
  int value;
};

pthread_mutex_t g_lock = PTHREAD_MUTEX_INITIALIZER;
Item* g_item = nullptr;
bool g_twice = false;
volatile int g_seen = 0;

void* use(void*) {
  pthread_mutex_lock(&g_lock);
  Item* item = g_item;
  pthread_mutex_unlock(&g_lock);
  if (item == nullptr) return nullptr;

  pthread_mutex_lock(&g_lock);
  if (g_twice) {
    free(item);
    g_item = nullptr;
  } else {
    g_seen = item->next->value;
  }
  pthread_mutex_unlock(&g_lock);
  return nullptr;
}

void* remove_item(void*) {
  pthread_mutex_lock(&g_lock);
  free(g_item);
  g_item = nullptr;
  pthread_mutex_unlock(&g_lock);
  return nullptr;
}

}  // namespace

int main(int argc, char** argv) {
  g_twice = argc > 1 && strcmp(argv[1], "twice") == 0;
  g_item = static_cast<Item*>(malloc(sizeof(Item)));
  *g_item = {g_item, 1};
  pthread_t threads[2];
  pthread_create(&threads[0], nullptr, use, nullptr);
  pthread_create(&threads[1], nullptr, remove_item, nullptr);
  for (pthread_t thread : threads) pthread_join(thread, nullptr);
  return 0;
}
