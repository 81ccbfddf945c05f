// SPDX-License-Identifier: Apache-2.0
// Bug: a thread sleeps a minute at a time until something happens that never does.
#include <pthread.h>
#include <unistd.h>

namespace {

volatile bool g_ready = false;

void* wait_for_it(void*) {
  while (!g_ready) sleep(60);
  return nullptr;
}

}  // namespace

int main() {
  pthread_t thread;
  pthread_create(&thread, nullptr, wait_for_it, nullptr);
  pthread_join(thread, nullptr);
  return 0;
}
