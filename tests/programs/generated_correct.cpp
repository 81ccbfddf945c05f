// SPDX-License-Identifier: Apache-2.0
// A correct program for every seed, `generated_correct SEED`: threads that lock, wait, poll and
// spin in all the ways there are, and come to their end under every fair schedule.
//
// Why none of them can wait for ever: each thread does steps, and tells each as done. It waits for
// steps of threads with lower numbers only, holds no lock while it does, and takes no second lock
// while it holds one. At its end main looks whether the counts are as they should be; unless it
// does not wait for the others at all, which ends the process with whatever they have done.
//
// Exit status: 0, or 42 with a line on stderr if a count is wrong.
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <atomic>

#include "tests/programs/program_random.h"

namespace {

constexpr int kMostThreads = 6;
constexpr int kMostSteps = 5;
constexpr int kPlaces = 3;  // locks of a kind, each with a count

enum class Work {
  kMutex,
  kRecursive,
  kTryMutex,
  kTimedMutex,
  kWrite,
  kRead,
  kTryWrite,
  kTimedWrite,
  kTimedRead,
  kSpin,
  kTrySpin,
  kAtomic,
  kSleep,
  kClock,
  kLibrary,
  kOnce,
  kRobust,
  kThread,
  kMany,
  kSignal,
  kSignalled,
  kPipe,
  kDestructor,
  kCount
};

enum class Wait {
  kAtomicAndYield,
  kAtomicAlone,  // the one that makes no call
  kCondition,
  kTimedCondition,
  kSemaphore,
  kTrySemaphore,
  kTimedSemaphore,
  kSleep,
  kPoll,
  kMutex,
  kTryMutex,
  kRead,
  kSeveral,
  kCount
};

struct Step {
  Work work = Work::kMutex;
  int place = 0;
  Wait wait = Wait::kCondition;
  int awaited = -1;  // the thread whose step is waited for before; -1: none
  int awaited_step = 0;
};

struct Plan {
  int steps = 0;
  bool detached = false;
  bool leaves_by_exit = false;  // pthread_exit
  Step step[kMostSteps];
};

int g_threads = 0;
bool g_barrier_first = false;
bool g_main_waits = true;
Plan g_plan[kMostThreads];

pthread_mutex_t g_mutex[kPlaces];
pthread_mutex_t g_recursive[kPlaces];
pthread_mutex_t g_robust[kPlaces];
pthread_rwlock_t g_rwlock[kPlaces];
pthread_spinlock_t g_spin[kPlaces];
pthread_once_t g_once = PTHREAD_ONCE_INIT;
pthread_barrier_t g_barrier;
pthread_key_t g_key;
pthread_key_t g_counted_key;  // whose destructor counts
std::atomic<int> g_atomic[kPlaces];
std::atomic<int> g_signals = 0;
int g_by_mutex[kPlaces];  // and so on: guarded by the lock of the place
int g_by_recursive[kPlaces];
int g_by_robust[kPlaces];
int g_by_rwlock[kPlaces];
int g_by_spin[kPlaces];
int g_by_destructor[kPlaces];  // guarded by the mutex
int g_by_once = 0;

// What was done, told in every way that it can be waited for.
pthread_mutex_t g_done_mutex = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t g_done_cond = PTHREAD_COND_INITIALIZER;
pthread_rwlock_t g_done_rwlock = PTHREAD_RWLOCK_INITIALIZER;
int g_done[kMostThreads];  // steps; guarded by the mutex for reading, by both for writing
std::atomic<int> g_done_atomic[kMostThreads];
sem_t g_done_semaphore[kMostThreads][kMostSteps];
int g_takers[kMostThreads][kMostSteps];  // who wait for it by the semaphore: each takes one

[[noreturn]] void wrong(const char* what) {
  fprintf(stderr, "generated_correct: %s\n", what);
  _exit(42);
}

void check(bool holds, const char* what) {
  if (!holds) wrong(what);
}

timespec later(long ms) {
  timespec until;
  clock_gettime(CLOCK_REALTIME, &until);
  const long ns = until.tv_nsec + ms % 1000 * 1'000'000;
  return {until.tv_sec + ms / 1000 + ns / 1'000'000'000, ns % 1'000'000'000};
}

void tell(int thread, int step) {
  pthread_mutex_lock(&g_done_mutex);
  pthread_rwlock_wrlock(&g_done_rwlock);
  g_done[thread] = step + 1;
  pthread_rwlock_unlock(&g_done_rwlock);
  pthread_cond_broadcast(&g_done_cond);
  pthread_mutex_unlock(&g_done_mutex);
  g_done_atomic[thread] = step + 1;
  for (int i = 0; i < g_takers[thread][step]; ++i) sem_post(&g_done_semaphore[thread][step]);
}

bool done_by_mutex(int thread, int step) {
  const bool done = g_done[thread] > step;
  pthread_mutex_unlock(&g_done_mutex);
  return done;
}

void await(Wait wait, int thread, int step) {
  switch (wait) {
    case Wait::kAtomicAndYield:
      while (g_done_atomic[thread] <= step) sched_yield();
      return;
    case Wait::kAtomicAlone:
      while (g_done_atomic[thread] <= step) {
      }
      return;
    case Wait::kCondition:
      pthread_mutex_lock(&g_done_mutex);
      while (g_done[thread] <= step) pthread_cond_wait(&g_done_cond, &g_done_mutex);
      pthread_mutex_unlock(&g_done_mutex);
      return;
    case Wait::kTimedCondition:
      pthread_mutex_lock(&g_done_mutex);
      while (g_done[thread] <= step) {
        const timespec until = later(1);
        pthread_cond_timedwait(&g_done_cond, &g_done_mutex, &until);
      }
      pthread_mutex_unlock(&g_done_mutex);
      return;
    case Wait::kSemaphore:
      while (sem_wait(&g_done_semaphore[thread][step]) != 0) {
      }
      return;
    case Wait::kTrySemaphore:
      while (sem_trywait(&g_done_semaphore[thread][step]) != 0) {
      }
      return;
    case Wait::kTimedSemaphore:
      for (timespec until = later(1);
           sem_timedwait(&g_done_semaphore[thread][step], &until) != 0;) {
        until = later(1);
      }
      return;
    case Wait::kSleep:
      while (g_done_atomic[thread] <= step) usleep(100);
      return;
    case Wait::kPoll:
      while (g_done_atomic[thread] <= step) poll(nullptr, 0, 1);
      return;
    case Wait::kMutex:
      do {
        pthread_mutex_lock(&g_done_mutex);
      } while (!done_by_mutex(thread, step));
      return;
    case Wait::kTryMutex:
      while (pthread_mutex_trylock(&g_done_mutex) != 0 || !done_by_mutex(thread, step)) {
      }
      return;
    case Wait::kRead:
      for (bool done = false; !done;) {
        pthread_rwlock_rdlock(&g_done_rwlock);
        done = g_done[thread] > step;
        pthread_rwlock_unlock(&g_done_rwlock);
      }
      return;
    case Wait::kSeveral:
      for (int turn = 0; g_done_atomic[thread] <= step; ++turn) {
        pthread_mutex_lock(&g_mutex[turn % kPlaces]);
        pthread_mutex_unlock(&g_mutex[turn % kPlaces]);
        pthread_rwlock_rdlock(&g_rwlock[turn % 2]);
        pthread_rwlock_unlock(&g_rwlock[turn % 2]);
        if (turn % 7 == 0) sched_yield();
      }
      return;
    case Wait::kCount:
      break;
  }
}

// With another one in between, if the lock does not keep it out.
void add(int& count) {
  const int seen = count;
  sched_yield();
  count = seen + 1;
}

void once() {
  ++g_by_once;
}

void* end_holding(void* place) {
  pthread_mutex_t& mutex = g_robust[reinterpret_cast<long>(place)];
  if (pthread_mutex_lock(&mutex) == EOWNERDEAD) pthread_mutex_consistent(&mutex);
  return nullptr;
}

void* add_by_mutex(void* place) {
  const long i = reinterpret_cast<long>(place);
  pthread_mutex_lock(&g_mutex[i]);
  add(g_by_mutex[i]);
  pthread_mutex_unlock(&g_mutex[i]);
  return nullptr;
}

void count_end(void* place) {
  const long i = reinterpret_cast<long>(place) - 1;
  pthread_mutex_lock(&g_mutex[i]);
  add(g_by_destructor[i]);
  pthread_mutex_unlock(&g_mutex[i]);
}

void handle(int) {
  ++g_signals;
}

void* await_signal(void*) {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGUSR2);
  int which = 0;
  check(sigwait(&set, &which) == 0 && which == SIGUSR2, "another signal came");
  return nullptr;
}

void* write_byte(void* descriptor) {
  check(write(static_cast<int>(reinterpret_cast<long>(descriptor)), "x", 1) == 1,
        "a pipe is not written");
  return nullptr;
}

pthread_t begin(void* (*routine)(void*), long argument) {
  pthread_t thread;
  check(pthread_create(&thread, nullptr, routine, reinterpret_cast<void*>(argument)) == 0,
        "a thread cannot be made");
  return thread;
}

void run(void* (*routine)(void*), int place) {
  pthread_join(begin(routine, place), nullptr);
}

// SIGUSR2 is blocked in all threads.
void signal_a_thread() {
  const pthread_t thread = begin(await_signal, 0);
  pthread_kill(thread, SIGUSR2);
  pthread_join(thread, nullptr);
}

void poll_a_pipe() {
  int ends[2];
  check(pipe(ends) == 0, "a pipe cannot be made");
  const pthread_t thread = begin(write_byte, ends[1]);
  pollfd one{ends[0], POLLIN, 0};
  while (poll(&one, 1, 1) == 0) {
  }
  char byte = 0;
  check(read(ends[0], &byte, 1) == 1 && byte == 'x', "a pipe does not give what it was given");
  pthread_join(thread, nullptr);
  close(ends[0]);
  close(ends[1]);
}

// What locks in the C library.
void use_library() {
  const time_t now = time(nullptr);
  tm parts;
  localtime_r(&now, &parts);
  check(localtime(&now) != nullptr, "there is no local time");
  char text[64];
  snprintf(text, sizeof text, "%d", parts.tm_year);
  char* copy = strdup(text);
  check(copy != nullptr && strcmp(copy, text) == 0, "a copy differs");
  free(copy);
  pthread_setspecific(g_key, malloc(16));
}

// Locked for reading; unlocks.
void read_twice(int i) {
  const int seen = g_by_rwlock[i];
  sched_yield();
  check(g_by_rwlock[i] == seen, "a value changed while it was locked for reading");
  pthread_rwlock_unlock(&g_rwlock[i]);
}

void work(Work kind, int i) {
  switch (kind) {
    case Work::kMutex:
      add_by_mutex(reinterpret_cast<void*>(long{i}));
      return;
    case Work::kRecursive:
      pthread_mutex_lock(&g_recursive[i]);
      pthread_mutex_lock(&g_recursive[i]);
      add(g_by_recursive[i]);
      pthread_mutex_unlock(&g_recursive[i]);
      pthread_mutex_unlock(&g_recursive[i]);
      return;
    case Work::kTryMutex:
      while (pthread_mutex_trylock(&g_mutex[i]) != 0) {
      }
      add(g_by_mutex[i]);
      pthread_mutex_unlock(&g_mutex[i]);
      return;
    case Work::kTimedMutex:
      for (timespec until = later(1); pthread_mutex_timedlock(&g_mutex[i], &until) != 0;) {
        until = later(1);
      }
      add(g_by_mutex[i]);
      pthread_mutex_unlock(&g_mutex[i]);
      return;
    case Work::kWrite:
      pthread_rwlock_wrlock(&g_rwlock[i]);
      add(g_by_rwlock[i]);
      pthread_rwlock_unlock(&g_rwlock[i]);
      return;
    case Work::kRead:
      pthread_rwlock_rdlock(&g_rwlock[i]);
      read_twice(i);
      return;
    case Work::kTryWrite:
      while (pthread_rwlock_trywrlock(&g_rwlock[i]) != 0) sched_yield();
      add(g_by_rwlock[i]);
      pthread_rwlock_unlock(&g_rwlock[i]);
      return;
    case Work::kTimedWrite:
      for (timespec until = later(1); pthread_rwlock_timedwrlock(&g_rwlock[i], &until) != 0;) {
        until = later(1);
      }
      add(g_by_rwlock[i]);
      pthread_rwlock_unlock(&g_rwlock[i]);
      return;
    case Work::kTimedRead:
      for (timespec until = later(1); pthread_rwlock_timedrdlock(&g_rwlock[i], &until) != 0;) {
        until = later(1);
      }
      read_twice(i);
      return;
    case Work::kTrySpin:
      while (pthread_spin_trylock(&g_spin[i]) != 0) {
      }
      add(g_by_spin[i]);
      pthread_spin_unlock(&g_spin[i]);
      return;
    case Work::kSpin:
      pthread_spin_lock(&g_spin[i]);
      add(g_by_spin[i]);
      pthread_spin_unlock(&g_spin[i]);
      return;
    case Work::kAtomic:
      ++g_atomic[i];
      return;
    case Work::kSleep:
      usleep(2'000'000);
      return;
    case Work::kClock:
      for (const timespec until = later(3'000); later(0).tv_sec < until.tv_sec;) sched_yield();
      return;
    case Work::kLibrary:
      use_library();
      return;
    case Work::kOnce:
      pthread_once(&g_once, once);
      check(g_by_once == 1, "once was not once");
      return;
    case Work::kRobust:
      run(end_holding, i);
      if (pthread_mutex_lock(&g_robust[i]) == EOWNERDEAD) pthread_mutex_consistent(&g_robust[i]);
      add(g_by_robust[i]);
      pthread_mutex_unlock(&g_robust[i]);
      return;
    case Work::kThread:
      run(add_by_mutex, i);
      return;
    case Work::kMany:
      for (int n = 0; n < 300; ++n) ++g_atomic[i];
      for (int n = 0; n < 30; ++n) add_by_mutex(reinterpret_cast<void*>(long{i}));
      return;
    case Work::kSignal:
      raise(SIGUSR1);
      return;
    case Work::kSignalled:
      signal_a_thread();
      return;
    case Work::kPipe:
      poll_a_pipe();
      return;
    case Work::kDestructor:
      pthread_setspecific(g_counted_key, reinterpret_cast<void*>(long{i + 1}));
      return;
    case Work::kCount:
      break;
  }
}

void* do_steps(void* number) {
  const auto thread = static_cast<int>(reinterpret_cast<long>(number));
  const Plan& plan = g_plan[thread];
  if (g_barrier_first) pthread_barrier_wait(&g_barrier);
  for (int i = 0; i < plan.steps; ++i) {
    const Step& step = plan.step[i];
    if (step.awaited >= 0) await(step.wait, step.awaited, step.awaited_step);
    work(step.work, step.place);
    tell(thread, i);
  }
  if (plan.leaves_by_exit) pthread_exit(nullptr);
  return nullptr;
}

void make_plan(unsigned long seed, bool spins_in_memory) {
  Random random(seed);
  g_threads = 2 + random.below(kMostThreads - 1);
  g_barrier_first = random.below(4) == 0;
  g_main_waits = random.below(5) != 0;
  for (int t = 0; t < g_threads; ++t) {
    Plan& plan = g_plan[t];
    plan.steps = 1 + random.below(kMostSteps);
    plan.detached = random.below(4) == 0;
    plan.leaves_by_exit = random.below(3) == 0;
    for (int i = 0; i < plan.steps; ++i) {
      Step& step = plan.step[i];
      step.work = static_cast<Work>(random.below(static_cast<int>(Work::kCount)));
      step.place = random.below(kPlaces);
      step.wait = static_cast<Wait>(random.below(static_cast<int>(Wait::kCount)));
      if (step.wait == Wait::kAtomicAlone && !spins_in_memory) step.wait = Wait::kAtomicAndYield;
      if (t == 0 || random.below(2) == 0) continue;
      step.awaited = random.below(t);
      step.awaited_step = random.below(g_plan[step.awaited].steps);
      const bool takes = step.wait == Wait::kSemaphore || step.wait == Wait::kTrySemaphore ||
                         step.wait == Wait::kTimedSemaphore;
      if (takes) ++g_takers[step.awaited][step.awaited_step];
    }
  }
}

void make_locks() {
  pthread_mutexattr_t recursive;
  pthread_mutexattr_init(&recursive);
  pthread_mutexattr_settype(&recursive, PTHREAD_MUTEX_RECURSIVE);
  pthread_mutexattr_t robust;
  pthread_mutexattr_init(&robust);
  pthread_mutexattr_setrobust(&robust, PTHREAD_MUTEX_ROBUST);
  for (int i = 0; i < kPlaces; ++i) {
    pthread_mutex_init(&g_mutex[i], nullptr);
    pthread_mutex_init(&g_recursive[i], &recursive);
    pthread_mutex_init(&g_robust[i], &robust);
    pthread_rwlock_init(&g_rwlock[i], nullptr);
    pthread_spin_init(&g_spin[i], PTHREAD_PROCESS_PRIVATE);
  }
  for (auto& of_thread : g_done_semaphore) {
    for (sem_t& semaphore : of_thread) sem_init(&semaphore, 0, 0);
  }
  pthread_barrier_init(&g_barrier, nullptr, static_cast<unsigned>(g_threads));
  pthread_key_create(&g_key, free);
  pthread_key_create(&g_counted_key, count_end);
}

void prepare_signals() {
  struct sigaction action {};
  action.sa_handler = handle;
  sigaction(SIGUSR1, &action, nullptr);
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGUSR2);
  pthread_sigmask(SIG_BLOCK, &set, nullptr);
}

int expected(int place, bool (*counts)(Work), int many) {
  int sum = 0;
  for (int t = 0; t < g_threads; ++t) {
    for (int i = 0; i < g_plan[t].steps; ++i) {
      const Step& step = g_plan[t].step[i];
      if (step.place != place) continue;
      sum += counts(step.work) ? 1 : 0;
      sum += step.work == Work::kMany ? many : 0;
    }
  }
  return sum;
}

// The destructors of a thread have run when it is joined; of a detached one nobody knows when.
void check_destructors() {
  int joined[kPlaces] = {};
  int detached[kPlaces] = {};
  for (int t = 0; t < g_threads; ++t) {
    int place = -1;
    for (int i = 0; i < g_plan[t].steps; ++i) {
      const Step& step = g_plan[t].step[i];
      if (step.work == Work::kDestructor) place = step.place;
    }
    if (place >= 0) ++(g_plan[t].detached ? detached : joined)[place];
  }
  for (int i = 0; i < kPlaces; ++i) {
    pthread_mutex_lock(&g_mutex[i]);
    const int seen = g_by_destructor[i];
    pthread_mutex_unlock(&g_mutex[i]);
    check(seen >= joined[i] && seen <= joined[i] + detached[i], "a count of destructors is wrong");
  }
}

void check_counts() {
  check_destructors();
  int signals = 0;
  for (int i = 0; i < kPlaces; ++i) {
    const auto by_mutex = [](Work work) {
      return work == Work::kMutex || work == Work::kTryMutex || work == Work::kTimedMutex ||
             work == Work::kThread;
    };
    check(g_by_mutex[i] == expected(i, by_mutex, 30), "a count under a mutex is wrong");
    const auto by_rwlock = [](Work work) {
      return work == Work::kWrite || work == Work::kTryWrite || work == Work::kTimedWrite;
    };
    check(g_by_rwlock[i] == expected(i, by_rwlock, 0), "a count under a read-write lock is wrong");
    const auto by_spin = [](Work work) { return work == Work::kSpin || work == Work::kTrySpin; };
    check(g_by_spin[i] == expected(i, by_spin, 0), "a count under a spin lock is wrong");
    const auto by_robust = [](Work work) { return work == Work::kRobust; };
    check(g_by_robust[i] == expected(i, by_robust, 0), "a count under a robust mutex is wrong");
    const auto by_recursive = [](Work work) { return work == Work::kRecursive; };
    check(g_by_recursive[i] == expected(i, by_recursive, 0), "a recursive mutex did not lock");
    const auto atomic = [](Work work) { return work == Work::kAtomic; };
    check(g_atomic[i] == expected(i, atomic, 300), "an atomic count is wrong");
    signals += expected(
        i, [](Work work) { return work == Work::kSignal; }, 0);
  }
  check(g_signals == signals, "a signal was lost");
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) wrong("give a seed");
  make_plan(strtoul(argv[1], nullptr, 10), argc > 2);
  make_locks();
  prepare_signals();
  pthread_t threads[kMostThreads];
  for (int t = 0; t < g_threads; ++t) {
    check(pthread_create(&threads[t], nullptr, do_steps, reinterpret_cast<void*>(long{t})) == 0,
          "a thread cannot be made");
    if (g_plan[t].detached) pthread_detach(threads[t]);
  }
  if (!g_main_waits) return 0;
  for (int t = 0; t < g_threads; ++t) {
    if (!g_plan[t].detached) pthread_join(threads[t], nullptr);
    // A detached one may still be about to tell it by its semaphore, which nobody waits for here.
    await(Wait::kCondition, t, g_plan[t].steps - 1);
  }
  check_counts();
  return 0;
}
