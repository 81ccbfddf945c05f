// SPDX-License-Identifier: Apache-2.0
// Bug: what a thread needs is written after it was made, without a lock: its creator takes itself
// to be quicker. With all threads standing ready at their start while the creator goes on, it is
// (data choice "start-order").
//
// With an argument it is written before.
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

namespace {

int g_table = 7;
int* g_needed = nullptr;

void* use(void*) {
  if (g_needed != nullptr && *g_needed == 7) return nullptr;
  fprintf(stderr, "started_too_early: what the thread needs is not there yet\n");
  _exit(42);
}

}  // namespace

int main(int count, char**) {
  const bool correct = count > 1;
  if (correct) g_needed = &g_table;
  pthread_t thread;
  pthread_create(&thread, nullptr, use, nullptr);
  g_needed = &g_table;
  pthread_join(thread, nullptr);
  return 0;
}
