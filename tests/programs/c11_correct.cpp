// SPDX-License-Identifier: Apache-2.0
// No bug: C11's threads, mutexes, condition variables and once, used correctly by two threads.
//
// Depth: none. A 42, a reported deadlock, or no end, is a fault of the tool.
#include <stdio.h>
#include <threads.h>
#include <time.h>

#include <atomic>

namespace {

constexpr int kRounds = 5;

mtx_t g_lock;
cnd_t g_turned;
once_flag g_once = ONCE_FLAG_INIT;
int g_turn = 0;     // guarded by g_lock
int g_counter = 0;  // guarded by g_lock
int g_initialised = 0;
std::atomic<bool> g_good{true};

void expect(bool kept) {
  if (!kept) g_good = false;
}

void initialise() {
  const timespec pause{0, 1'000'000};
  thrd_sleep(&pause, nullptr);
  ++g_initialised;
}

int take_turns(void* number) {
  const int own = *static_cast<const int*>(number);
  call_once(&g_once, initialise);
  expect(g_initialised == 1);
  for (int i = 0; i < kRounds; ++i) {
    expect(mtx_lock(&g_lock) == thrd_success);
    while (g_turn != own) cnd_wait(&g_turned, &g_lock);
    const int seen = g_counter;
    thrd_yield();
    g_counter = seen + 1;
    g_turn = 1 - own;
    cnd_signal(&g_turned);
    expect(mtx_unlock(&g_lock) == thrd_success);
  }
  if (own == 1) thrd_exit(101);
  return 100;
}

timespec shortly() {
  timespec until{};
  timespec_get(&until, TIME_UTC);
  ++until.tv_sec;
  return until;
}

}  // namespace

int main() {
  mtx_init(&g_lock, mtx_timed);
  cnd_init(&g_turned);
  int numbers[2] = {0, 1};
  thrd_t threads[2];
  for (int i = 0; i < 2; ++i) {
    expect(thrd_create(&threads[i], take_turns, &numbers[i]) == thrd_success);
  }
  for (int i = 0; i < 2; ++i) {
    int result = -1;
    expect(thrd_join(threads[i], &result) == thrd_success && result == 100 + i);
  }
  expect(mtx_trylock(&g_lock) == thrd_success);
  const timespec until = shortly();
  expect(cnd_timedwait(&g_turned, &g_lock, &until) == thrd_timedout);
  mtx_unlock(&g_lock);
  if (g_good && g_counter == 2 * kRounds) return 0;
  fprintf(stderr, "c11_correct: counted %d\n", g_counter);
  return 42;
}
