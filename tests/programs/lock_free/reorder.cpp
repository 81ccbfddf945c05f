// SPDX-License-Identifier: Apache-2.0
// NUMBER setters (3 if not given) write first one word, then another; a checker expects none or
// both.
//
// Seeded bug: no lock. The checker has to come between the two writes of one setter, before any
// other has written: the more setters there are, the rarer that is.
#include "tests/programs/lock_free/lock_free.h"

namespace {

constexpr int kMostSetters = 100;

pthread_mutex_t g_lock = PTHREAD_MUTEX_INITIALIZER;
int g_first = 0;
int g_second = 0;

template <bool kSeeded>
void* set(void*) {
  if (!kSeeded) pthread_mutex_lock(&g_lock);
  g_first = 1;
  g_second = -1;
  if (!kSeeded) pthread_mutex_unlock(&g_lock);
  return nullptr;
}

template <bool kSeeded>
void* check(void*) {
  if (!kSeeded) pthread_mutex_lock(&g_lock);
  const int first = g_first;
  const int second = g_second;
  if (!kSeeded) pthread_mutex_unlock(&g_lock);
  if (first + second != 0) lock_free::show_bug("reorder", "the sum is", first + second);
  return nullptr;
}

template <bool kSeeded>
struct Reorder {
  static int run(int number) {
    const int setters = number > 0 && number <= kMostSetters ? number : 3;
    pthread_t threads[kMostSetters + 1];
    for (int i = 0; i < setters; ++i) pthread_create(&threads[i], nullptr, set<kSeeded>, nullptr);
    pthread_create(&threads[setters], nullptr, check<kSeeded>, nullptr);
    for (int i = 0; i <= setters; ++i) pthread_join(threads[i], nullptr);
    return 0;
  }
};

}  // namespace

int main(int argc, char** argv) {
  return lock_free::run_as_told<Reorder>(argc, argv);
}
