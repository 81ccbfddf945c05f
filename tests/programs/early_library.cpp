// SPDX-License-Identifier: Apache-2.0
// See early_calls.cpp: what happens while the program is loaded, and after main.
#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

namespace {

pthread_mutex_t g_lock = PTHREAD_MUTEX_INITIALIZER;
pthread_rwlock_t g_rwlock = PTHREAD_RWLOCK_INITIALIZER;
pthread_cond_t g_condition = PTHREAD_COND_INITIALIZER;
pthread_once_t g_once = PTHREAD_ONCE_INIT;
bool g_initialised = false;
int g_signals = 0;

void initialise() {
  g_initialised = true;
}

void* signal_once(void*) {
  pthread_mutex_lock(&g_lock);
  ++g_signals;
  pthread_cond_signal(&g_condition);
  pthread_mutex_unlock(&g_lock);
  return nullptr;
}

// A thread, a lock held while it is awaited, a wait, clocks, a sleep, a file.
void use_everything() {
  pthread_once(&g_once, initialise);
  const int wanted = g_signals + 1;
  pthread_t thread;
  pthread_mutex_lock(&g_lock);
  pthread_create(&thread, nullptr, signal_once, nullptr);
  while (g_signals < wanted) pthread_cond_wait(&g_condition, &g_lock);
  pthread_mutex_unlock(&g_lock);
  pthread_join(thread, nullptr);
  pthread_rwlock_wrlock(&g_rwlock);
  pthread_rwlock_unlock(&g_rwlock);
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  usleep(100);
  if (access("/", F_OK) != 0 || !g_initialised || now.tv_sec == 0) _exit(42);
}

// The second call frees the text of the first one's error: maybe the first free of all.
void look_in_vain() {
  for (int i = 0; i < 2; ++i) {
    if (dlsym(RTLD_DEFAULT, "a_function_that_nobody_has") != nullptr) _exit(42);
  }
}

__attribute__((constructor)) void before_main() {
  look_in_vain();
  use_everything();
}

__attribute__((destructor)) void after_main() {
  use_everything();
}

}  // namespace

int early_uses() {
  return g_signals;
}
