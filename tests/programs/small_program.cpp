// SPDX-License-Identifier: Apache-2.0
// Runs the small program of a seed by real calls, `small_program SEED BUG`, BUG a number of
// small::Bug (small_program.h): prints its outcome when the process ends.
//
// Exit status: 0, or 42 if the outcome is wrong. Built with -fsanitize=thread, the accesses to
// cells and atomics are told, those to the program's text are not.
#include "tests/programs/small_program.h"

#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <atomic>

#ifdef __clang__  // whose no_sanitize still tells atomics
#if __has_feature(thread_sanitizer)
#define UNTOLD __attribute__((disable_sanitizer_instrumentation))
#endif
#elif defined(__SANITIZE_THREAD__)
#define UNTOLD __attribute__((no_sanitize("thread")))
#endif
#ifdef UNTOLD
constexpr bool kTellsAccesses = true;
#else
#define UNTOLD
constexpr bool kTellsAccesses = false;
#endif

namespace {

using small::Op;
using small::Step;

struct Thread {
  int number = 0;
  const Step* steps = nullptr;
  size_t at = 0;
  int read = 0;
};

small::Program g_program;
Thread g_thread[small::kMostThreads];
pthread_t g_made[small::kMostThreads];
small::Remains g_remains;  // but for what follows, which is told
int g_cells[small::kCells];
std::atomic<int> g_atomics[small::kAtomics];

pthread_mutex_t g_mutex[small::kMutexes];
pthread_rwlock_t g_rwlock = PTHREAD_RWLOCK_INITIALIZER;
pthread_spinlock_t g_spin;
pthread_cond_t g_cond = PTHREAD_COND_INITIALIZER;
pthread_barrier_t g_barrier;
pthread_once_t g_once = PTHREAD_ONCE_INIT;
sem_t g_semaphore[small::kSemaphores];
pthread_key_t g_key;
thread_local Thread* t_thread = nullptr;

__attribute__((noinline)) int read_cell(int cell) {
  return g_cells[cell];
}
__attribute__((noinline)) void write_cell(int cell, int value) {
  g_cells[cell] = value;
}
__attribute__((noinline)) void add_to_atomic(int place) {
  ++g_atomics[place];
}
__attribute__((noinline)) int load_atomic(int place) {
  return g_atomics[place];
}
void handle(int) {
  add_to_atomic(1);
}

UNTOLD timespec later(int ms) {
  timespec until;
  clock_gettime(CLOCK_REALTIME, &until);
  until.tv_nsec += ms * 1'000'000L;
  until.tv_sec += until.tv_nsec / 1'000'000'000;
  until.tv_nsec %= 1'000'000'000;
  return until;
}

UNTOLD void see(const Thread& t, int value) {
  int& seen = g_remains.seen[t.number];
  seen = small::seen_with(seen, value);
}

UNTOLD void write_cell(Thread& t, int cell, bool more) {
  write_cell(cell, t.read + (more ? 1 : -1));
  g_remains.written[t.number][cell] += more ? 1 : -small::taken_of(t.read);
}

void run(Thread& t);
void* run_thread(void* thread);

UNTOLD void do_once() {
  run(*t_thread);  // up to kOnceEnd
}

UNTOLD void once(Thread& t, const Step& step) {
  const size_t behind = t.at + step.skip;
  t_thread = &t;
  pthread_once(&g_once, do_once);
  t.at = behind;
}

UNTOLD void create(int number) {
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  if (g_program.detached[number]) {
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
  }
  pthread_create(&g_made[number], &attributes, run_thread, &g_thread[number]);
}

UNTOLD void sleep_ms(int ms) {
  const timespec time{0, ms * 1'000'000L};
  nanosleep(&time, nullptr);
}

// An attempt's result: of those that may fail.
UNTOLD int attempt(const Step& step) {
  switch (step.op) {
    case Op::kTryLock:
      return pthread_mutex_trylock(&g_mutex[step.place]);
    case Op::kTimedLock: {
      const timespec until = later(step.ms);
      return pthread_mutex_timedlock(&g_mutex[step.place], &until);
    }
    case Op::kTryReadLock:
      return pthread_rwlock_tryrdlock(&g_rwlock);
    case Op::kTryWriteLock:
      return pthread_rwlock_trywrlock(&g_rwlock);
    default:
      return sem_trywait(&g_semaphore[step.place]);
  }
}

UNTOLD void perform(Thread& t, const Step& step) {
  switch (step.op) {
    case Op::kLock:
      pthread_mutex_lock(&g_mutex[step.place]);
      return;
    case Op::kUnlock:
      pthread_mutex_unlock(&g_mutex[step.place]);
      return;
    case Op::kReadLock:
      pthread_rwlock_rdlock(&g_rwlock);
      return;
    case Op::kWriteLock:
      pthread_rwlock_wrlock(&g_rwlock);
      return;
    case Op::kRwUnlock:
      pthread_rwlock_unlock(&g_rwlock);
      return;
    case Op::kSpinLock:
      pthread_spin_lock(&g_spin);
      return;
    case Op::kSpinUnlock:
      pthread_spin_unlock(&g_spin);
      return;
    case Op::kPost:
      sem_post(&g_semaphore[step.place]);
      return;
    case Op::kTake:
      sem_wait(&g_semaphore[step.place]);
      return;
    case Op::kSignal:
      pthread_cond_signal(&g_cond);
      return;
    case Op::kBroadcast:
      pthread_cond_broadcast(&g_cond);
      return;
    case Op::kWait:
      pthread_cond_wait(&g_cond, &g_mutex[0]);
      return;
    case Op::kBarrier:
      pthread_barrier_wait(&g_barrier);
      return;
    case Op::kOnce:
      once(t, step);
      return;
    case Op::kSleep:
      sleep_ms(step.ms);
      return;
    case Op::kJoin:
      pthread_join(g_made[step.place], nullptr);
      return;
    case Op::kAtomicAdd:
      add_to_atomic(step.place);
      return;
    case Op::kAtomicLoad:
      see(t, load_atomic(step.place));
      return;
    case Op::kRead:
      t.read = read_cell(step.place);
      return;
    case Op::kRemember:
      see(t, t.read);
      return;
    case Op::kWrite:
    case Op::kWriteLess:
      write_cell(t, step.place, step.op == Op::kWrite);
      return;
    case Op::kRaise:
      raise(SIGUSR1);
      return;
    case Op::kCreate:
      create(step.place);
      return;
    case Op::kPassIfRead:
      if (t.read != 0) t.at += step.skip;
      return;
    case Op::kBack:
      t.at -= step.skip;
      return;
    default:
      if (attempt(step) == 0) return;
      see(t, small::kMissed);
      t.at += step.skip;
      return;
  }
}

// Up to the thread's end, or that of what is done once, or to where the rest is a destructor's.
UNTOLD void run(Thread& t) {
  while (true) {
    const Step& step = t.steps[t.at++];
    if (step.op == Op::kEnd || step.op == Op::kOnceEnd) return;
    if (step.op == Op::kDestructor) {
      pthread_setspecific(g_key, &t);
      return;
    }
    perform(t, step);
  }
}

UNTOLD void* run_thread(void* thread) {
  run(*static_cast<Thread*>(thread));
  return nullptr;
}

UNTOLD void destroy(void* thread) {
  run(*static_cast<Thread*>(thread));
}

// When the process exits.
UNTOLD void tell_outcome() {
  for (int i = 0; i < small::kCells; ++i) g_remains.cells[i] = g_cells[i];
  // Where they are no points, when they are done beside an exit says nothing.
  for (int i = 0; i < small::kAtomics && kTellsAccesses; ++i) {
    g_remains.atomics[i] = g_atomics[i].load(std::memory_order_relaxed);
  }
  const std::string text = small::text_of(g_remains);
  // By a bare call, which is no scheduling point: behind the exit nobody else does anything.
  if (syscall(SYS_write, STDOUT_FILENO, text.data(), text.size()) < 0) _exit(1);
  if (small::is_wrong(g_remains)) _exit(42);
}

void prepare() {
  pthread_mutexattr_t recursive;
  pthread_mutexattr_init(&recursive);
  pthread_mutexattr_settype(&recursive, PTHREAD_MUTEX_RECURSIVE);
  for (int i = 0; i < small::kMutexes; ++i) {
    pthread_mutex_init(&g_mutex[i], i == small::kMutexes - 1 ? &recursive : nullptr);
  }
  for (sem_t& semaphore : g_semaphore) sem_init(&semaphore, 0, 0);
  pthread_spin_init(&g_spin, PTHREAD_PROCESS_PRIVATE);
  if (g_program.at_barrier > 0) {
    pthread_barrier_init(&g_barrier, nullptr, static_cast<unsigned>(g_program.at_barrier));
  }
  pthread_key_create(&g_key, destroy);
  struct sigaction action {};
  action.sa_handler = handle;
  sigaction(SIGUSR1, &action, nullptr);
  for (size_t t = 0; t < g_program.threads.size(); ++t) {
    g_thread[t] = {static_cast<int>(t), g_program.threads[t].data(), 0, 0};
  }
}

}  // namespace

UNTOLD int main(int argc, char** argv) {
  if (argc < 3) return 2;
  g_program = small::generated(strtoul(argv[1], nullptr, 10),
                               static_cast<small::Bug>(atoi(argv[2])), kTellsAccesses);
  prepare();
  atexit(tell_outcome);
  run(g_thread[0]);
  return 0;
}
