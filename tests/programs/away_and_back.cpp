// SPDX-License-Identifier: Apache-2.0
// No bug: two threads wait for signals, each for its own, which takes them out of control until the
// signal comes; a third works under a lock, sends the signals in between, and works on. What the
// program prints is the order of what they did, which only the schedule decides.
//
// Depth: none. A 42, or no end, is a fault of the tool.
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

namespace {

constexpr int kRounds = 4;
pthread_mutex_t g_lock = PTHREAD_MUTEX_INITIALIZER;
char g_story[64];  // guarded by g_lock
int g_length = 0;

void tell(char who) {
  pthread_mutex_lock(&g_lock);
  g_story[g_length++] = who;
  pthread_mutex_unlock(&g_lock);
}

void* wait_and_work(void* number) {
  const int signal = *static_cast<const int*>(number);
  const bool first = signal == SIGRTMIN;
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, signal);
  for (int i = 0; i < 2; ++i) {
    tell(first ? 'a' : 'b');
    int received = 0;
    if (sigwait(&set, &received) != 0 || received != signal) tell('?');
    tell(first ? 'A' : 'B');
    const timespec pause{0, 1'000'000};
    nanosleep(&pause, nullptr);
  }
  return nullptr;
}

}  // namespace

int main() {
  int signals[2] = {SIGRTMIN, SIGRTMIN + 1};  // of the kind that queues
  sigset_t both;
  sigemptyset(&both);
  for (int signal : signals) sigaddset(&both, signal);
  pthread_sigmask(SIG_BLOCK, &both, nullptr);
  pthread_t threads[2];
  for (int i = 0; i < 2; ++i) {
    pthread_create(&threads[i], nullptr, wait_and_work, &signals[i]);
  }
  for (int round = 0; round < 2; ++round) {
    for (int i = 0; i < kRounds; ++i) tell('m');
    for (int i = 0; i < 2; ++i) pthread_kill(threads[i], signals[i]);
    const timespec pause{0, 2'000'000};
    nanosleep(&pause, nullptr);
  }
  for (pthread_t thread : threads) pthread_join(thread, nullptr);
  puts(g_story);
  return strchr(g_story, '?') == nullptr && g_length == 2 * kRounds + 8 ? 0 : 42;
}
