// SPDX-License-Identifier: Apache-2.0
// Bug: two threads check and then add, unlocked in between, and main returns without waiting for
// them: whoever runs main to its end first sees nothing of it. With the argument `correct` they
// keep the lock.
#include <pthread.h>
#include <string.h>
#include <unistd.h>

namespace {

pthread_mutex_t g_lock = PTHREAD_MUTEX_INITIALIZER;
int g_count = 0;
int g_ended = 0;
bool g_correct = false;

void* add(void*) {
  pthread_mutex_lock(&g_lock);
  const int seen = g_count;
  if (!g_correct) {
    pthread_mutex_unlock(&g_lock);
    pthread_mutex_lock(&g_lock);
  }
  g_count = seen + 1;
  const bool wrong = ++g_ended == 2 && g_count != 2;
  pthread_mutex_unlock(&g_lock);
  if (!wrong) return nullptr;
  const char line[] = "main_does_not_wait: one was not counted\n";
  if (write(STDERR_FILENO, line, sizeof line - 1) > 0) _exit(42);
  return nullptr;
}

}  // namespace

int main(int argc, char** argv) {
  g_correct = argc > 1 && strcmp(argv[1], "correct") == 0;
  pthread_t threads[2];
  for (pthread_t& thread : threads) {
    pthread_create(&thread, nullptr, add, nullptr);
    pthread_detach(thread);
  }
  return 0;
}
