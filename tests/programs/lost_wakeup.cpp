// SPDX-License-Identifier: Apache-2.0
// Bug: a thread waits on a condition variable without a predicate. If the signal comes before the
// wait it is lost, and the thread waits for ever.
//
// Depth 1: one ordering, the signaller's lock before the waiter's; no preemption needed.
// Expected hit probability per run, computed exactly by tests/unit/strategy (rule C: both threads
// exist before either runs; a point at every create, thread start, lock, unlock, wait, wake-up,
// signal and join; 3 threads, 13 points):
//   random walk p=1   0.5
//   pct any d         0.5                 guarantee at d=1: 1/3
//
// Shows as a deadlock, which the scheduler reports. Without a scheduler an alarm ends the program
// with status 42 after 10 s; its handler makes bare system calls, so that it depends on nothing.
#include <pthread.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace {

pthread_mutex_t g_lock = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t g_ready = PTHREAD_COND_INITIALIZER;

void say_stuck(int) {
  const char line[] = "lost_wakeup: the signal came before the wait\n";
  syscall(SYS_write, 2, line, sizeof line - 1);
  syscall(SYS_exit_group, 42);
}

void* wait_once(void*) {
  pthread_mutex_lock(&g_lock);
  pthread_cond_wait(&g_ready, &g_lock);
  pthread_mutex_unlock(&g_lock);
  return nullptr;
}

void* signal_once(void*) {
  pthread_mutex_lock(&g_lock);
  pthread_cond_signal(&g_ready);
  pthread_mutex_unlock(&g_lock);
  return nullptr;
}

}  // namespace

int main() {
  signal(SIGALRM, say_stuck);
  alarm(10);
  pthread_t threads[2];
  pthread_create(&threads[0], nullptr, wait_once, nullptr);
  pthread_create(&threads[1], nullptr, signal_once, nullptr);
  for (pthread_t thread : threads) pthread_join(thread, nullptr);
  return 0;
}
