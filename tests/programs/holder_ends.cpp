// SPDX-License-Identifier: Apache-2.0
// Bug: a thread ends with a lock that it holds, and another one waits for it for ever. The argument
// says which: `mutex` (default), `rwlock` or `spin`.
#include <pthread.h>
#include <string.h>

namespace {

enum class Lock { kMutex, kRwlock, kSpin };

Lock g_kind = Lock::kMutex;
pthread_mutex_t g_mutex = PTHREAD_MUTEX_INITIALIZER;
pthread_rwlock_t g_rwlock = PTHREAD_RWLOCK_INITIALIZER;
pthread_spinlock_t g_spin;

void* lock_and_end(void*) {
  switch (g_kind) {
    case Lock::kMutex:
      pthread_mutex_lock(&g_mutex);
      break;
    case Lock::kRwlock:
      pthread_rwlock_wrlock(&g_rwlock);
      break;
    case Lock::kSpin:
      pthread_spin_lock(&g_spin);
      break;
  }
  return nullptr;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc > 1 && strcmp(argv[1], "rwlock") == 0) g_kind = Lock::kRwlock;
  if (argc > 1 && strcmp(argv[1], "spin") == 0) g_kind = Lock::kSpin;
  pthread_spin_init(&g_spin, PTHREAD_PROCESS_PRIVATE);
  pthread_t first;
  pthread_t second;
  pthread_create(&first, nullptr, lock_and_end, nullptr);
  pthread_create(&second, nullptr, lock_and_end, nullptr);
  pthread_join(first, nullptr);
  pthread_join(second, nullptr);
  return 0;
}
