// SPDX-License-Identifier: Apache-2.0
// Bug: a call that fails by EINTR is taken for one that has done its work (data choice "eintr").
//
// The first argument says which: read, semaphore, sleep, poll; with a second one it is made again.
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

namespace {

int g_pipe[2];
sem_t g_semaphore;
const char* g_what = "read";
char g_byte = 0;

int call_once() {
  if (strcmp(g_what, "semaphore") == 0) return sem_wait(&g_semaphore);
  if (strcmp(g_what, "read") == 0) return read(g_pipe[0], &g_byte, 1) == 1 ? 0 : -1;
  if (strcmp(g_what, "poll") == 0) {
    pollfd ready{g_pipe[0], POLLIN, 0};
    return poll(&ready, 1, -1) == 1 ? 0 : -1;
  }
  timespec left{1, 0};
  return nanosleep(&left, &left);
}

void* give(void*) {
  sem_post(&g_semaphore);
  while (write(g_pipe[1], "x", 1) != 1) {
  }
  return nullptr;
}

}  // namespace

int main(int count, char** arguments) {
  if (count > 1) g_what = arguments[1];
  const bool correct = count > 2;
  sem_init(&g_semaphore, 0, 0);
  if (pipe(g_pipe) != 0) return 1;
  pthread_t thread;
  pthread_create(&thread, nullptr, give, nullptr);
  int result = call_once();
  while (correct && result != 0 && errno == EINTR) result = call_once();
  pthread_join(thread, nullptr);
  if (result == 0) return 0;
  fprintf(stderr, "not_retried: %s failed by %s\n", g_what, strerror(errno));
  return 42;
}
