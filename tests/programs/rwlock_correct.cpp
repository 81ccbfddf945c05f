// SPDX-License-Identifier: Apache-2.0
// No bug: two values that are always changed together under a write lock and read under read locks,
// by plain, try and timed acquisitions. Readers must see them equal; no increment may be lost.
//
// Depth: none. Hit probability: 0 under any strategy; a 42 or a reported deadlock is a fault of the
// tool (readers let in beside a writer, a writer lost, a try that lies).
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <time.h>

namespace {

constexpr int kRounds = 5;
constexpr int kWriters = 2;
constexpr int kReaders = 2;

pthread_rwlock_t g_lock = PTHREAD_RWLOCK_INITIALIZER;
int g_left = 0;
int g_right = 0;
bool g_failed[kWriters + kReaders];  // by thread; read after all were joined
int g_extra[kWriters];               // increments beyond kRounds, by writer

struct Self {
  int index;
};

timespec in_one_minute() {
  timespec deadline{};
  clock_gettime(CLOCK_REALTIME, &deadline);
  deadline.tv_sec += 60;
  return deadline;
}

void increment_both() {
  ++g_left;
  ++g_right;
}

void* write_rounds(void* argument) {
  const int index = static_cast<Self*>(argument)->index;
  for (int round = 0; round < kRounds; ++round) {
    pthread_rwlock_wrlock(&g_lock);
    increment_both();
    pthread_rwlock_unlock(&g_lock);
    const int result = pthread_rwlock_trywrlock(&g_lock);
    if (result == 0) {
      increment_both();
      ++g_extra[index];
      pthread_rwlock_unlock(&g_lock);
    } else if (result != EBUSY) {
      g_failed[index] = true;
    }
  }
  const timespec deadline = in_one_minute();
  if (pthread_rwlock_timedwrlock(&g_lock, &deadline) != 0) {
    g_failed[index] = true;
    return nullptr;
  }
  increment_both();
  ++g_extra[index];
  pthread_rwlock_unlock(&g_lock);
  return nullptr;
}

void compare_and_unlock(int index) {
  if (g_left != g_right) g_failed[index] = true;
  pthread_rwlock_unlock(&g_lock);
}

void* read_rounds(void* argument) {
  const int index = static_cast<Self*>(argument)->index;
  for (int round = 0; round < kRounds; ++round) {
    pthread_rwlock_rdlock(&g_lock);
    compare_and_unlock(index);
    const int result = pthread_rwlock_tryrdlock(&g_lock);
    if (result == 0) compare_and_unlock(index);
    if (result != 0 && result != EBUSY) g_failed[index] = true;
    const timespec deadline = in_one_minute();
    if (pthread_rwlock_timedrdlock(&g_lock, &deadline) == 0) {
      compare_and_unlock(index);
    } else {
      g_failed[index] = true;
    }
  }
  return nullptr;
}

}  // namespace

int main() {
  constexpr int kThreads = kWriters + kReaders;
  pthread_t threads[kThreads];
  Self selves[kThreads];
  for (int i = 0; i < kThreads; ++i) {
    selves[i].index = i;
    pthread_create(&threads[i], nullptr, i < kWriters ? write_rounds : read_rounds, &selves[i]);
  }
  for (pthread_t thread : threads) pthread_join(thread, nullptr);
  int expected = kWriters * kRounds;
  for (const int extra : g_extra) expected += extra;
  bool failed = g_left != expected || g_right != expected;
  for (const bool one : g_failed) failed |= one;
  if (!failed) return 0;
  fprintf(stderr, "rwlock_correct: left %d, right %d, expected %d\n", g_left, g_right, expected);
  return 42;
}
