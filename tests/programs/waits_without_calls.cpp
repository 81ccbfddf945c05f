// SPDX-License-Identifier: Apache-2.0
// Bug: a thread waits for another one by reading a variable over and over, without any call. Where
// one thread runs at a time it waits for ever, unless the other was first. Nothing but the clock
// can tell that.
#include <pthread.h>

namespace {

volatile bool g_ready = false;

void* wait_for_it(void*) {
  while (!g_ready) {
  }
  return nullptr;
}

void* make_ready(void*) {
  g_ready = true;
  return nullptr;
}

}  // namespace

int main() {
  pthread_t threads[2];
  pthread_create(&threads[0], nullptr, wait_for_it, nullptr);
  pthread_create(&threads[1], nullptr, make_ready, nullptr);
  for (pthread_t thread : threads) pthread_join(thread, nullptr);
  return 0;
}
