// SPDX-License-Identifier: Apache-2.0
// main ends while a thread of its still waits: nobody joins it, and it was not detached. With the
// argument "detached" it was.
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

namespace {

pthread_mutex_t g_lock = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t g_never = PTHREAD_COND_INITIALIZER;

void* wait_for_ever(void*) {
  pthread_mutex_lock(&g_lock);
  for (;;) pthread_cond_wait(&g_never, &g_lock);
}

}  // namespace

int main(int argc, char** argv) {
  pthread_t thread;
  pthread_create(&thread, nullptr, wait_for_ever, nullptr);
  if (argc > 1 && strcmp(argv[1], "detached") == 0) pthread_detach(thread);
  usleep(1000);
  return 0;
}
