// SPDX-License-Identifier: Apache-2.0
// Bug: after a timed wait the value is taken as if it had come, whether or not the time was up. The
// giver needs next to no time, so only a machine that stands still for ten seconds shows it (data
// choice "early-timeout").
//
// With the argument "correct" the time-out is told from the signal. With "semaphore" and "lock" the
// wait is another one: a timed wait for a semaphore, a timed lock.
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

namespace {

pthread_mutex_t g_lock = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t g_ready = PTHREAD_COND_INITIALIZER;
sem_t g_given;
const char* g_how = "wait";
bool g_there = false;
int g_value = 0;

timespec in_ten_seconds() {
  timespec until;
  clock_gettime(CLOCK_REALTIME, &until);
  until.tv_sec += 10;
  return until;
}

// Whether it came; the wrong ones are not asked.
bool wait_for_signal() {
  const timespec until = in_ten_seconds();
  int result = 0;
  while (!g_there && result == 0) result = pthread_cond_timedwait(&g_ready, &g_lock, &until);
  return g_there;
}

void judge(bool told, int value) {
  const bool asks = strcmp(g_how, "correct") == 0;
  if ((asks && !told) || value == 7) return;
  fprintf(stderr, "timeout_for_success: took a value that had not come\n");
  _exit(42);
}

void* take(void*) {
  const timespec until = in_ten_seconds();
  if (strcmp(g_how, "semaphore") == 0) {
    sem_timedwait(&g_given, &until);
    judge(true, g_value);
    return nullptr;
  }
  if (strcmp(g_how, "lock") == 0) {
    if (pthread_mutex_timedlock(&g_lock, &until) == ETIMEDOUT) judge(true, 0);
    pthread_mutex_unlock(&g_lock);
    return nullptr;
  }
  pthread_mutex_lock(&g_lock);
  const bool came = wait_for_signal();
  const int value = g_value;
  pthread_mutex_unlock(&g_lock);
  judge(came, value);
  return nullptr;
}

void* give(void*) {
  pthread_mutex_lock(&g_lock);
  g_value = 7;
  g_there = true;
  pthread_cond_signal(&g_ready);
  sem_post(&g_given);
  pthread_mutex_unlock(&g_lock);
  return nullptr;
}

}  // namespace

int main(int count, char** arguments) {
  if (count > 1) g_how = arguments[1];
  sem_init(&g_given, 0, 0);
  pthread_t threads[2];
  pthread_create(&threads[0], nullptr, take, nullptr);
  pthread_create(&threads[1], nullptr, give, nullptr);
  for (pthread_t thread : threads) pthread_join(thread, nullptr);
  return 0;
}
