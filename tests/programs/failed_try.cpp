// SPDX-License-Identifier: Apache-2.0
// Bug: where the second lock cannot be had, the first one is not given back. Today nobody else
// takes the second one, so only a holder that comes between shows it (data choice "trylock"): then
// the other thread waits for ever, and this one for the other to come to their meeting.
//
// The first argument says what is tried: mutex, rwlock, semaphore, spin; with a second one the
// first lock is given back.
#include <pthread.h>
#include <semaphore.h>
#include <string.h>

namespace {

pthread_mutex_t g_first = PTHREAD_MUTEX_INITIALIZER;
pthread_mutex_t g_mutex = PTHREAD_MUTEX_INITIALIZER;
pthread_rwlock_t g_rwlock = PTHREAD_RWLOCK_INITIALIZER;
pthread_spinlock_t g_spin;
sem_t g_semaphore;
pthread_barrier_t g_meeting;
const char* g_what = "mutex";
bool g_correct = false;

bool try_second() {
  if (strcmp(g_what, "rwlock") == 0) return pthread_rwlock_tryrdlock(&g_rwlock) == 0;
  if (strcmp(g_what, "semaphore") == 0) return sem_trywait(&g_semaphore) == 0;
  if (strcmp(g_what, "spin") == 0) return pthread_spin_trylock(&g_spin) == 0;
  return pthread_mutex_trylock(&g_mutex) == 0;
}

void leave_second() {
  if (strcmp(g_what, "rwlock") == 0) {
    pthread_rwlock_unlock(&g_rwlock);
  } else if (strcmp(g_what, "semaphore") == 0) {
    sem_post(&g_semaphore);
  } else if (strcmp(g_what, "spin") == 0) {
    pthread_spin_unlock(&g_spin);
  } else {
    pthread_mutex_unlock(&g_mutex);
  }
}

void* take_both(void*) {
  pthread_mutex_lock(&g_first);
  const bool both = try_second();
  if (both) leave_second();
  if (both || g_correct) pthread_mutex_unlock(&g_first);
  pthread_barrier_wait(&g_meeting);
  return nullptr;
}

void* take_first(void*) {
  pthread_mutex_lock(&g_first);
  pthread_mutex_unlock(&g_first);
  pthread_barrier_wait(&g_meeting);
  return nullptr;
}

}  // namespace

int main(int count, char** arguments) {
  if (count > 1) g_what = arguments[1];
  g_correct = count > 2;
  sem_init(&g_semaphore, 0, 1);
  pthread_barrier_init(&g_meeting, nullptr, 2);
  pthread_spin_init(&g_spin, PTHREAD_PROCESS_PRIVATE);
  pthread_t threads[2];
  pthread_create(&threads[0], nullptr, take_both, nullptr);
  pthread_create(&threads[1], nullptr, take_first, nullptr);
  for (pthread_t thread : threads) pthread_join(thread, nullptr);
  return 0;
}
