// SPDX-License-Identifier: Apache-2.0
// Programs without a bug, of which it is known how many partial orders they have, for the search of
// all schedules:
//
//   private THREADS TIMES   each thread enters its own mutex, so often: 1
//   shared THREADS TIMES    all enter one mutex: (THREADS * TIMES)! / (TIMES!)^THREADS
//   readers THREADS         all take a read-write lock shared: 1
//   writer THREADS          the same, and one takes it alone, before or after each: 2^THREADS
//   made_late               a thread that takes the lock makes one that does: as many as there are
//                           orders of 3 sections with one before another: 3
//   woken                   a thread waits on a condition variable until it is told that it may go
//   on:
//                           told before it looks, or while it waits: 2
//   trylock                 a thread tries a mutex that another enters: before, while it is held,
//   or
//                           after: 3
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

namespace {

constexpr int kMostThreads = 8;

pthread_mutex_t g_mutex[kMostThreads];
pthread_rwlock_t g_rwlock = PTHREAD_RWLOCK_INITIALIZER;
pthread_cond_t g_condition = PTHREAD_COND_INITIALIZER;
bool g_told = false;
int g_times = 1;

void enter(pthread_mutex_t& mutex) {
  pthread_mutex_lock(&mutex);
  pthread_mutex_unlock(&mutex);
}

void* enter_often(void* mutex) {
  for (int i = 0; i < g_times; ++i) enter(*static_cast<pthread_mutex_t*>(mutex));
  return nullptr;
}

void* share(void*) {
  pthread_rwlock_rdlock(&g_rwlock);
  pthread_rwlock_unlock(&g_rwlock);
  return nullptr;
}

void* own(void*) {
  pthread_rwlock_wrlock(&g_rwlock);
  pthread_rwlock_unlock(&g_rwlock);
  return nullptr;
}

void* make_late(void*) {
  enter(g_mutex[0]);
  pthread_t thread;
  pthread_create(&thread, nullptr, enter_often, &g_mutex[0]);
  pthread_join(thread, nullptr);
  return nullptr;
}

void* await(void*) {
  pthread_mutex_lock(&g_mutex[0]);
  while (!g_told) pthread_cond_wait(&g_condition, &g_mutex[0]);
  pthread_mutex_unlock(&g_mutex[0]);
  return nullptr;
}

void* tell(void*) {
  pthread_mutex_lock(&g_mutex[0]);
  g_told = true;
  pthread_cond_signal(&g_condition);
  pthread_mutex_unlock(&g_mutex[0]);
  return nullptr;
}

// The lock of another mutex makes a point at which the first one is held.
void* enter_both(void*) {
  pthread_mutex_lock(&g_mutex[0]);
  enter(g_mutex[1]);
  pthread_mutex_unlock(&g_mutex[0]);
  return nullptr;
}

void* try_to_enter(void*) {
  if (pthread_mutex_trylock(&g_mutex[0]) == 0) pthread_mutex_unlock(&g_mutex[0]);
  return nullptr;
}

using Routine = void* (*)(void*);

void run(int count, const Routine* routines, bool own_mutexes) {
  pthread_t threads[kMostThreads];
  for (int i = 0; i < count; ++i) {
    pthread_create(&threads[i], nullptr, routines[i], &g_mutex[own_mutexes ? i : 0]);
  }
  for (int i = 0; i < count; ++i) pthread_join(threads[i], nullptr);
}

}  // namespace

int main(int count, char** arguments) {
  const char* what = count > 1 ? arguments[1] : "";
  const int threads = count > 2 ? atoi(arguments[2]) : 2;
  g_times = count > 3 ? atoi(arguments[3]) : 1;
  if (threads < 1 || threads >= kMostThreads) return 2;
  Routine routines[kMostThreads];
  for (Routine& routine : routines) routine = enter_often;
  if (strcmp(what, "private") == 0) run(threads, routines, true);
  if (strcmp(what, "shared") == 0) run(threads, routines, false);
  for (Routine& routine : routines) routine = share;
  if (strcmp(what, "readers") == 0) run(threads, routines, false);
  routines[threads] = own;
  if (strcmp(what, "writer") == 0) run(threads + 1, routines, false);
  const Routine late[] = {make_late, enter_often};
  if (strcmp(what, "made_late") == 0) run(2, late, false);
  const Routine waking[] = {await, tell};
  if (strcmp(what, "woken") == 0) run(2, waking, false);
  const Routine trying[] = {enter_both, try_to_enter};
  if (strcmp(what, "trylock") == 0) run(2, trying, false);
  return 0;
}
