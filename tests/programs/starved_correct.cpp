// SPDX-License-Identifier: Apache-2.0
// Correct; its threads hardly get the processor once they have left control: they give way to all
// others (SCHED_IDLE), on a processor where children compute. On a busy machine any thread is now
// and then so late.
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace {

constexpr int kThreads = 2;
constexpr int kChildren = 3;
pthread_mutex_t g_mutex = PTHREAD_MUTEX_INITIALIZER;
int g_count = 0;

void stay_on_first_processor() {
  cpu_set_t may, one;
  sched_getaffinity(0, sizeof may, &may);
  CPU_ZERO(&one);
  int first = 0;
  while (first < CPU_SETSIZE - 1 && !CPU_ISSET(first, &may)) ++first;
  CPU_SET(first, &one);
  sched_setaffinity(0, sizeof one, &one);
}

pid_t start_child_that_computes() {
  const pid_t child = fork();
  if (child != 0) return child;
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  stay_on_first_processor();
  alarm(60);
  for (volatile unsigned rounds = 0;;) rounds = rounds + 1;
}

void* count(void*) {
  pthread_mutex_lock(&g_mutex);
  ++g_count;
  pthread_mutex_unlock(&g_mutex);
  stay_on_first_processor();
  const sched_param none{};
  sched_setscheduler(0, SCHED_IDLE, &none);
  return nullptr;
}

}  // namespace

int main() {
  pid_t children[kChildren];
  for (pid_t& child : children) child = start_child_that_computes();
  pthread_t threads[kThreads];
  for (pthread_t& thread : threads) pthread_create(&thread, nullptr, count, nullptr);
  for (const pthread_t thread : threads) pthread_join(thread, nullptr);
  for (const pid_t child : children) {
    kill(child, SIGKILL);
    waitpid(child, nullptr, 0);
  }
  if (g_count == kThreads) return 0;
  fprintf(stderr, "starved_correct: %d for %d\n", g_count, kThreads);
  return 42;
}
