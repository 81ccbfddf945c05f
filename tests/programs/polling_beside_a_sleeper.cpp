// SPDX-License-Identifier: Apache-2.0
// No bug: one thread asks again and again, without ever blocking, whether another one has slept
// enough. Virtual time must pass though there is always somebody who can run.
//
// Depth: none. A hang, or no end, is a fault of the tool.
#include <pthread.h>
#include <sched.h>
#include <time.h>

#include <atomic>

namespace {

std::atomic<bool> g_awake{false};

void* sleep_a_little(void*) {
  const timespec pause{0, 5'000'000};
  nanosleep(&pause, nullptr);
  g_awake = true;
  return nullptr;
}

void* poll_for_it(void*) {
  while (!g_awake) sched_yield();
  return nullptr;
}

}  // namespace

int main() {
  pthread_t threads[2];
  pthread_create(&threads[0], nullptr, sleep_a_little, nullptr);
  pthread_create(&threads[1], nullptr, poll_for_it, nullptr);
  for (pthread_t thread : threads) pthread_join(thread, nullptr);
  return 0;
}
