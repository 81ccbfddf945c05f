// SPDX-License-Identifier: Apache-2.0
// No bug: three threads call the same initialisation once; it takes a lock, sleeps, and fails with
// an exception the first two times. The C library then lets the next caller try, and the others
// wait.
//
// Depth: none. A 42, a deadlock, or no end, is a fault of the tool.
#include <pthread.h>
#include <stdio.h>
#include <time.h>

#include <mutex>
#include <stdexcept>

namespace {

pthread_mutex_t g_lock = PTHREAD_MUTEX_INITIALIZER;
pthread_once_t g_once = PTHREAD_ONCE_INIT;
std::once_flag g_flag;

struct Initialisation {
  int running = 0;
  int tries = 0;
  int done = 0;
  bool alone = true;
};
Initialisation g_first;   // by pthread_once
Initialisation g_second;  // by std::call_once

void try_it(Initialisation& it) {
  pthread_mutex_lock(&g_lock);
  it.alone = it.alone && ++it.running == 1;
  const bool fails = ++it.tries <= 2;
  pthread_mutex_unlock(&g_lock);
  const timespec pause{0, 1'000'000};
  nanosleep(&pause, nullptr);
  pthread_mutex_lock(&g_lock);
  --it.running;
  if (!fails) ++it.done;
  pthread_mutex_unlock(&g_lock);
  if (fails) throw std::runtime_error("not yet");
}

void try_first() {
  try_it(g_first);
}

template <class Call>
void until_done(Call call) {
  for (bool done = false; !done;) {
    try {
      call();
      done = true;
    } catch (const std::runtime_error&) {
    }
  }
}

void* initialise(void*) {
  until_done([] { pthread_once(&g_once, try_first); });
  until_done([] { std::call_once(g_flag, [] { try_it(g_second); }); });
  return nullptr;
}

bool good(const Initialisation& it) {
  return it.alone && it.tries == 3 && it.done == 1;
}

}  // namespace

int main() {
  pthread_t threads[3];
  for (pthread_t& thread : threads) pthread_create(&thread, nullptr, initialise, nullptr);
  for (pthread_t thread : threads) pthread_join(thread, nullptr);
  if (good(g_first) && good(g_second)) return 0;
  fprintf(stderr, "once_that_throws: %d tries, %d done; %d tries, %d done\n", g_first.tries,
          g_first.done, g_second.tries, g_second.done);
  return 42;
}
