// SPDX-License-Identifier: Apache-2.0
// Bug: two threads take the same two mutexes in opposite orders. If each holds its first one, both
// wait for ever.
//
// Depth 2: one preemption, between the first thread's two locks.
// Expected hit probability per run, computed exactly by tests/unit/strategy (rule C: both threads
// exist before either runs; a point at every create, thread start, lock, unlock and join; 3
// threads, 14 points):
//   random walk p=1   0.375
//   pct d=1, 2, 3     0, 0.071, 0.128     guarantee at d=2: 1 / (3 * 14) = 0.024
//
// Shows as a deadlock, which the scheduler reports. Without a scheduler an alarm ends the program
// with status 42 after 10 s; its handler makes bare system calls, so that it depends on nothing.
#include <pthread.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace {

pthread_mutex_t g_first = PTHREAD_MUTEX_INITIALIZER;
pthread_mutex_t g_second = PTHREAD_MUTEX_INITIALIZER;
int g_counter = 0;

void say_stuck(int) {
  const char line[] = "lock_order_deadlock: two threads wait for each other's mutex\n";
  syscall(SYS_write, 2, line, sizeof line - 1);
  syscall(SYS_exit_group, 42);
}

void count(pthread_mutex_t* outer, pthread_mutex_t* inner) {
  pthread_mutex_lock(outer);
  pthread_mutex_lock(inner);
  ++g_counter;
  pthread_mutex_unlock(inner);
  pthread_mutex_unlock(outer);
}

void* forwards(void*) {
  count(&g_first, &g_second);
  return nullptr;
}

void* backwards(void*) {
  count(&g_second, &g_first);
  return nullptr;
}

}  // namespace

int main() {
  signal(SIGALRM, say_stuck);
  alarm(10);
  pthread_t threads[2];
  pthread_create(&threads[0], nullptr, forwards, nullptr);
  pthread_create(&threads[1], nullptr, backwards, nullptr);
  for (pthread_t thread : threads) pthread_join(thread, nullptr);
  return g_counter == 2 ? 0 : 1;
}
