// SPDX-License-Identifier: Apache-2.0
// Bug: two threads poll, under a mutex, for a flag that nobody sets. Each makes progress, step by
// step, for ever: neither a deadlock nor a crash, but a hang.
//
// Without a scheduler an alarm ends the program with status 42 after 10 s.
#include <pthread.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace {

pthread_mutex_t g_lock = PTHREAD_MUTEX_INITIALIZER;
volatile bool g_done = false;

void say_stuck(int) {
  syscall(SYS_exit_group, 42);
}

void* poll_for_flag(void*) {
  bool done = false;
  while (!done) {
    pthread_mutex_lock(&g_lock);
    done = g_done;
    pthread_mutex_unlock(&g_lock);
  }
  return nullptr;
}

}  // namespace

int main() {
  signal(SIGALRM, say_stuck);
  alarm(10);
  pthread_t threads[2];
  for (pthread_t& thread : threads) pthread_create(&thread, nullptr, poll_for_flag, nullptr);
  for (pthread_t thread : threads) pthread_join(thread, nullptr);
  return 0;
}
