// SPDX-License-Identifier: Apache-2.0
// A program whose threads wait in, and hold, everything there is; then all of them are let go and
// each looks whether what it held and waited for is still right.
//
//   parked_threads_correct           does so at once
//   parked_threads_correct SOCKET    listens there; on a connection "fd" is answered with the
//                                    connection's own descriptor, "check" by letting all threads go
//                                    and "ok", or what is wrong; "connect" listens for another
//                                    one; "lock" by locking two parts of a file; "spoil" by
//                                    changing whatever can be, and the number of times that was
//                                    done; "grow WHAT" by making a thread, a mapping, a process or
//                                    a timer that stays, or by what cannot be mapped anew; "lose
//                                    WHAT" by giving memory back, or by what else shows only later;
//                                    "share WHAT" by mapping memory shared and writing "template"
//                                    into it: of a file (its path), a "deleted" one, a "memfd",
//                                    "anonymous"; "change" by writing "changed" there, "shared" by
//                                    what is there; "map WHAT" by changing what lies where;
//                                    "fill" by filling memory anew; "whole" by "ok", or what has
//                                    been lost
//
// It is what a snapshot must carry over a fork: one that loses a lock's owner, a waiter, a
// thread-local variable, a timer or a descriptor makes it hang or say what is missing.
#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <sys/un.h>
#include <unistd.h>

#include <atomic>
#include <initializer_list>

namespace {

constexpr int kHour_s = 3600;
constexpr int kTurns = 3;  // of the recursive mutex

std::atomic<const char*> g_wrong{nullptr};
std::atomic<bool> g_stop{false};
std::atomic<int> g_waiting{0};  // threads that are about to wait
std::atomic<int> g_alarms{0};
std::atomic<uint64_t> g_turns{0};

void expect(bool right, const char* what) {
  if (!right) g_wrong.store(what);
}

thread_local int t_number = -1;
thread_local double t_fraction = 0;

pthread_mutex_t g_mutex = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t g_go = PTHREAD_COND_INITIALIZER;
bool g_gone = false;
pthread_mutex_t g_checked, g_recursive, g_robust, g_inheriting;
pthread_rwlock_t g_rwlock = PTHREAD_RWLOCK_INITIALIZER;
pthread_cond_t g_late;
bool g_late_said = false;
sem_t g_semaphore;
pthread_barrier_t g_barrier;
pthread_t g_joined;
int g_pipe[2], g_event, g_timer, g_epoll, g_file;
int g_ready_pipe[2], g_ready_event;

// Large enough to be worth moving into a file (preload/snapshot/memory.h).
constexpr size_t kPage = 4096;
constexpr size_t kMemoryBytes = 64 * kPage;
alignas(kPage) unsigned char g_variables[kMemoryBytes];
alignas(kPage) unsigned char g_initialised[kMemoryBytes] = {1};
unsigned char* g_allocated;
unsigned char* g_mapped;

// Holds one lock of every kind while it waits for the word to go.
void* hold_all(void*) {
  expect(pthread_mutex_lock(&g_checked) == 0, "checked mutex not taken");
  for (int i = 0; i < kTurns; ++i) pthread_mutex_lock(&g_recursive);
  pthread_mutex_lock(&g_robust);
  pthread_mutex_lock(&g_inheriting);
  pthread_rwlock_wrlock(&g_rwlock);
  pthread_mutex_lock(&g_mutex);
  ++g_waiting;
  while (!g_gone) pthread_cond_wait(&g_go, &g_mutex);
  pthread_mutex_unlock(&g_mutex);
  expect(pthread_mutex_lock(&g_checked) == EDEADLK, "the checked mutex has lost its owner");
  expect(pthread_mutex_unlock(&g_checked) == 0, "the checked mutex is not its owner's");
  for (int i = 0; i < kTurns; ++i) {
    expect(pthread_mutex_unlock(&g_recursive) == 0, "the recursive mutex is not its owner's");
  }
  expect(pthread_mutex_unlock(&g_recursive) == EPERM, "the recursive mutex was held too often");
  expect(pthread_mutex_unlock(&g_inheriting) == 0, "the inheriting mutex is not its owner's");
  pthread_rwlock_unlock(&g_rwlock);
  return nullptr;  // with the robust mutex, whose waiter must be told
}

void* wait_for_checked(void*) {
  ++g_waiting;
  expect(pthread_mutex_lock(&g_checked) == 0, "checked mutex not handed over");
  pthread_mutex_unlock(&g_checked);
  return nullptr;
}

void* wait_for_recursive(void*) {
  ++g_waiting;
  expect(pthread_mutex_lock(&g_recursive) == 0, "recursive mutex not handed over");
  pthread_mutex_unlock(&g_recursive);
  return nullptr;
}

void* wait_for_robust(void*) {
  ++g_waiting;
  expect(pthread_mutex_lock(&g_robust) == EOWNERDEAD, "the robust mutex's owner died unnoticed");
  pthread_mutex_consistent(&g_robust);
  pthread_mutex_unlock(&g_robust);
  return nullptr;
}

void* wait_for_inheriting(void*) {
  ++g_waiting;
  expect(pthread_mutex_lock(&g_inheriting) == 0, "inheriting mutex not handed over");
  pthread_mutex_unlock(&g_inheriting);
  return nullptr;
}

void* wait_to_read(void*) {
  ++g_waiting;
  expect(pthread_rwlock_rdlock(&g_rwlock) == 0, "read lock not given");
  pthread_rwlock_unlock(&g_rwlock);
  return nullptr;
}

void* wait_for_long(void*) {
  pthread_mutex_lock(&g_mutex);
  timespec until;
  clock_gettime(CLOCK_MONOTONIC, &until);
  until.tv_sec += kHour_s;
  ++g_waiting;
  int result = 0;
  while (!g_late_said && result == 0) result = pthread_cond_timedwait(&g_late, &g_mutex, &until);
  expect(result == 0, "a wait of an hour has timed out");
  pthread_mutex_unlock(&g_mutex);
  return nullptr;
}

// Times out by itself, with the shortest notice.
void* wait_for_short(void*) {
  ++g_waiting;
  while (!g_stop.load()) {
    timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += 3'000'000;
    if (until.tv_nsec >= 1'000'000'000) ++until.tv_sec, until.tv_nsec -= 1'000'000'000;
    pthread_mutex_lock(&g_mutex);
    pthread_cond_t never = PTHREAD_COND_INITIALIZER;
    expect(pthread_cond_timedwait(&never, &g_mutex, &until) == ETIMEDOUT, "no time-out");
    pthread_mutex_unlock(&g_mutex);
  }
  return nullptr;
}

void* wait_for_semaphore(void*) {
  ++g_waiting;
  while (sem_wait(&g_semaphore) != 0) expect(false, "sem_wait was interrupted");
  return nullptr;
}

void* wait_at_barrier(void*) {
  ++g_waiting;
  pthread_barrier_wait(&g_barrier);
  return nullptr;
}

void* sleep_often(void*) {
  ++g_waiting;
  while (!g_stop.load()) {
    const timespec duration{0, 2'000'000};
    expect(nanosleep(&duration, nullptr) == 0, "nanosleep was interrupted");
  }
  return nullptr;
}

void* allocate_often(void*) {
  ++g_waiting;
  unsigned seed = 7;
  while (!g_stop.load()) {
    const size_t size = static_cast<size_t>(rand_r(&seed)) % 60'000 + 1;
    auto* bytes = static_cast<unsigned char*>(malloc(size));
    bytes[0] = bytes[size - 1] = static_cast<unsigned char>(size);
    expect(bytes[0] == static_cast<unsigned char>(size), "allocated memory has changed");
    free(bytes);
    ++g_turns;
  }
  return nullptr;
}

// Registers of every kind are in use all the time.
void* compute(void*) {
  ++g_waiting;
  double sum[8] = {1, 2, 3, 4, 5, 6, 7, 8};
  uint64_t count = 0;
  while (!g_stop.load(std::memory_order_relaxed)) {
    for (double& one : sum) one = one * 1.5 - one * 0.5;  // exactly itself
    ++count;
  }
  for (int i = 0; i < 8; ++i) expect(sum[i] == i + 1, "floating-point registers have changed");
  expect(count > 0, "nothing was computed");
  return nullptr;
}

void* wait_for_events(void*) {
  ++g_waiting;
  uint64_t events = 0;
  bool timer = false;
  while (events < 5 || !timer) {
    epoll_event ready[4];
    const int count = epoll_wait(g_epoll, ready, 4, -1);
    expect(count > 0, "epoll_wait was interrupted");
    for (int i = 0; i < count; ++i) {
      uint64_t value = 0;
      const int fd = ready[i].data.fd;
      expect(read(fd, &value, sizeof value) == sizeof value, "nothing to read after epoll_wait");
      if (fd == g_event) events += value;
      if (fd == g_timer) timer = value > 0;
    }
  }
  return nullptr;
}

void* wait_for_pipe(void*) {
  ++g_waiting;
  char text[8] = {};
  expect(read(g_pipe[0], text, sizeof text) == 3 && strcmp(text, "go") == 0, "the pipe is another");
  return nullptr;
}

void* wait_for_signal(void*) {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGUSR2);
  // An alarm that comes while the main thread handles the one before goes to any other thread.
  sigset_t alarm;
  sigemptyset(&alarm);
  sigaddset(&alarm, SIGALRM);
  pthread_sigmask(SIG_BLOCK, &alarm, nullptr);
  ++g_waiting;
  siginfo_t info;
  expect(sigwaitinfo(&set, &info) == SIGUSR2, "sigwaitinfo was interrupted");
  return nullptr;
}

void* wait_and_end(void*) {
  pthread_mutex_lock(&g_mutex);
  ++g_waiting;
  while (!g_gone) pthread_cond_wait(&g_go, &g_mutex);
  pthread_mutex_unlock(&g_mutex);
  return reinterpret_cast<void*>(4711);
}

void* join_another(void*) {
  ++g_waiting;
  void* result = nullptr;
  expect(pthread_join(g_joined, &result) == 0 && result == reinterpret_cast<void*>(4711),
         "the joined thread's result is lost");
  return nullptr;
}

void* block_all_signals(void*) {
  sigset_t all;
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, nullptr);
  pthread_mutex_lock(&g_mutex);
  ++g_waiting;
  while (!g_gone) pthread_cond_wait(&g_go, &g_mutex);
  pthread_mutex_unlock(&g_mutex);
  sigset_t now;
  pthread_sigmask(SIG_SETMASK, nullptr, &now);
  expect(sigismember(&now, SIGUSR1) == 1, "the signal mask is lost");
  return nullptr;
}

using Routine = void* (*)(void*);
constexpr Routine kRoutines[] = {
    hold_all,
    wait_for_checked,
    wait_for_recursive,
    wait_for_robust,
    wait_for_inheriting,
    wait_to_read,
    wait_for_long,
    wait_for_short,
    wait_for_semaphore,
    wait_at_barrier,
    sleep_often,
    allocate_often,
    allocate_often,
    compute,
    wait_for_events,
    wait_for_pipe,
    wait_for_signal,
    wait_and_end,
    join_another,
    block_all_signals,
};
constexpr int kThreads = sizeof kRoutines / sizeof kRoutines[0];
constexpr int kJoined = 17;  // wait_and_end: joined by another thread
pthread_t g_threads[kThreads];

struct Start {
  Routine routine;
  int number;
  pid_t tid;
};
Start g_starts[kThreads];

void* run(void* argument) {
  auto& start = *static_cast<Start*>(argument);
  start.tid = static_cast<pid_t>(syscall(SYS_gettid));
  t_number = start.number;
  t_fraction = start.number / 7.0;
  stack_t alternate{};
  alternate.ss_sp = malloc(SIGSTKSZ);
  alternate.ss_size = SIGSTKSZ;
  sigaltstack(&alternate, nullptr);
  void* result = start.routine(nullptr);
  expect(t_number == start.number && t_fraction == start.number / 7.0,
         "a thread-local variable has changed");
  expect(start.tid == static_cast<pid_t>(syscall(SYS_gettid)), "a thread id has changed");
  stack_t now{};
  sigaltstack(nullptr, &now);
  expect(now.ss_sp == alternate.ss_sp, "an alternate stack is lost");
  return result;
}

void on_alarm(int) {
  ++g_alarms;
}

void make_mutex(pthread_mutex_t* mutex, int type, int robust, int protocol) {
  pthread_mutexattr_t attributes;
  pthread_mutexattr_init(&attributes);
  pthread_mutexattr_settype(&attributes, type);
  pthread_mutexattr_setrobust(&attributes, robust);
  pthread_mutexattr_setprotocol(&attributes, protocol);
  pthread_mutex_init(mutex, &attributes);
}

unsigned char pattern(size_t index) {
  return static_cast<unsigned char>(index * 7 + index / kPage + 1);
}

void make_memory() {
  g_allocated = static_cast<unsigned char*>(malloc(kMemoryBytes));
  g_mapped = static_cast<unsigned char*>(
      mmap(nullptr, kMemoryBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  for (unsigned char* memory : {g_variables, g_initialised, g_allocated, g_mapped}) {
    for (size_t i = 0; i < kMemoryBytes; ++i) memory[i] = pattern(i);
  }
}

bool all_zero(const unsigned char* memory, size_t bytes) {
  for (size_t i = 0; i < bytes; ++i) {
    if (memory[i] != 0) return false;
  }
  return true;
}

// What was there is there; what is given back, or added, is zero.
void check_memory() {
  for (const unsigned char* memory : {g_variables, g_initialised, g_allocated, g_mapped}) {
    for (size_t i = 0; i < kMemoryBytes; ++i) {
      if (memory[i] != pattern(i)) return expect(false, "memory has changed");
    }
  }
  for (unsigned char* memory : {g_variables, g_mapped}) {
    expect(madvise(memory + kPage, 3 * kPage, MADV_DONTNEED) == 0, "memory cannot be given back");
    expect(all_zero(memory + kPage, 3 * kPage), "memory given back is not zero");
    if (g_wrong.load() != nullptr) return;
    expect(memory[0] == pattern(0) && memory[4 * kPage] == pattern(4 * kPage),
           "memory beside what was given back has changed");
  }
  void* grown = mremap(g_mapped, kMemoryBytes, 2 * kMemoryBytes, MREMAP_MAYMOVE);
  if (grown == MAP_FAILED) return expect(false, "memory cannot grow");
  g_mapped = static_cast<unsigned char*>(grown);
  expect(all_zero(g_mapped + kMemoryBytes, kMemoryBytes), "memory that has grown is not zero");
  expect(g_mapped[kMemoryBytes - 1] == pattern(kMemoryBytes - 1), "memory that moved has changed");
  memset(g_mapped, 1, 2 * kMemoryBytes);
  g_allocated = static_cast<unsigned char*>(realloc(g_allocated, 2 * kMemoryBytes));
  expect(g_allocated[kMemoryBytes - 1] == pattern(kMemoryBytes - 1), "realloc has lost memory");
  memset(g_allocated, 1, 2 * kMemoryBytes);
  expect(g_mapped[0] == 1 && g_variables[0] == pattern(0), "memory lies over other memory");
  free(g_allocated);
}

void make_objects() {
  make_memory();
  make_mutex(&g_checked, PTHREAD_MUTEX_ERRORCHECK, PTHREAD_MUTEX_STALLED, PTHREAD_PRIO_NONE);
  make_mutex(&g_recursive, PTHREAD_MUTEX_RECURSIVE, PTHREAD_MUTEX_STALLED, PTHREAD_PRIO_NONE);
  make_mutex(&g_robust, PTHREAD_MUTEX_NORMAL, PTHREAD_MUTEX_ROBUST, PTHREAD_PRIO_NONE);
  make_mutex(&g_inheriting, PTHREAD_MUTEX_NORMAL, PTHREAD_MUTEX_STALLED, PTHREAD_PRIO_INHERIT);
  pthread_condattr_t monotonic;
  pthread_condattr_init(&monotonic);
  pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
  pthread_cond_init(&g_late, &monotonic);
  sem_init(&g_semaphore, 0, 0);
  pthread_barrier_init(&g_barrier, nullptr, 2);
  expect(pipe(g_pipe) == 0 && pipe(g_ready_pipe) == 0, "no pipe");
  expect(write(g_ready_pipe[1], "left", 4) == 4, "nothing written");
  g_ready_event = eventfd(3, EFD_CLOEXEC);
  g_event = eventfd(2, EFD_NONBLOCK);
  g_timer = timerfd_create(CLOCK_MONOTONIC, 0);
  g_epoll = epoll_create1(EPOLL_CLOEXEC);
  for (int fd : {g_event, g_timer}) {
    epoll_event event{};
    event.events = fd == g_event ? EPOLLIN | EPOLLET : EPOLLIN;
    event.data.fd = fd;
    epoll_ctl(g_epoll, EPOLL_CTL_ADD, fd, &event);
  }
  g_file = open("position", O_RDWR | O_CREAT | O_TRUNC, 0600);
  expect(write(g_file, "0123456789", 10) == 10 && lseek(g_file, 4, SEEK_SET) == 4, "no file");
  struct flock lock {};
  lock.l_type = F_WRLCK;
  expect(fcntl(g_file, F_SETLK, &lock) == 0, "the file cannot be locked");
}

void start_threads() {
  sigset_t blocked;
  sigemptyset(&blocked);
  sigaddset(&blocked, SIGUSR2);
  pthread_sigmask(SIG_BLOCK, &blocked, nullptr);
  for (int i = 0; i < kThreads; ++i) {
    g_starts[i] = {kRoutines[i], i, 0};
    if (i == kJoined + 1) g_joined = g_threads[kJoined];
    pthread_create(&g_threads[i], nullptr, run, &g_starts[i]);
    while (g_waiting.load() <= i) usleep(100);  // the locks are taken before anyone waits for them
  }
  struct sigaction action {};
  action.sa_handler = on_alarm;
  action.sa_flags = SA_RESTART;
  sigset_t all;
  sigfillset(&all);
  action.sa_mask = all;
  sigaction(SIGALRM, &action, nullptr);
}

void check_descriptors() {
  char text[8] = {};
  expect(lseek(g_file, 0, SEEK_CUR) == 4, "a file's position has changed");
  expect(read(g_file, text, 2) == 2 && strcmp(text, "45") == 0, "a file's contents have changed");
  expect(pwrite(g_file, "!", 1, 9) == 1, "the file cannot be written to");
  memset(text, 0, sizeof text);
  expect(read(g_ready_pipe[0], text, 4) == 4 && strcmp(text, "left") == 0,
         "what was in a pipe is lost");
  uint64_t events = 0;
  expect(read(g_ready_event, &events, sizeof events) == sizeof events && events == 3,
         "an event's count is lost");
}

// Everything is let go, every thread must end.
const char* check() {
  check_descriptors();
  check_memory();
  const int alarms = g_alarms.load();
  const uint64_t turns = g_turns.load();
  while (g_turns.load() < turns + 20) usleep(100);
  const itimerval often{{0, 2'000}, {0, 2'000}};
  itimerval before{};
  setitimer(ITIMER_REAL, &often, &before);
  expect(before.it_interval.tv_sec == 100, "an interval timer is lost");
  while (g_alarms.load() < alarms + 3) usleep(500);
  const itimerval none{};
  setitimer(ITIMER_REAL, &none, nullptr);

  g_stop.store(true);
  pthread_mutex_lock(&g_mutex);
  g_gone = g_late_said = true;
  pthread_cond_broadcast(&g_go);
  pthread_cond_signal(&g_late);
  pthread_mutex_unlock(&g_mutex);
  sem_post(&g_semaphore);
  pthread_barrier_wait(&g_barrier);
  const uint64_t three = 3;
  expect(write(g_event, &three, sizeof three) == sizeof three, "the event cannot be set");
  const itimerspec soon{{0, 0}, {0, 1'000'000}};
  timerfd_settime(g_timer, 0, &soon, nullptr);
  expect(write(g_pipe[1], "go", 3) == 3, "the pipe cannot be written to");
  kill(getpid(), SIGUSR2);
  for (int i = 0; i < kThreads; ++i) {
    if (i != kJoined) pthread_join(g_threads[i], nullptr);
  }
  const char* wrong = g_wrong.load();
  return wrong == nullptr ? "ok" : wrong;
}

void lock_two_parts() {
  const int file = open("parts", O_RDWR | O_CREAT, 0600);
  for (const off_t at : {0, 5}) {
    struct flock lock {};
    lock.l_type = F_WRLCK;
    lock.l_start = at;
    lock.l_len = 1;
    expect(fcntl(file, F_SETLK, &lock) == 0, "a part of a file cannot be locked");
  }
}

int g_spoilt = 0;

void overwrite_stack() {
  volatile unsigned char bytes[100'000];
  for (volatile unsigned char& byte : bytes) byte = 0xee;
}

// The threads go on waiting, or working; everything else is not as it was.
int spoil() {
  overwrite_stack();
  for (unsigned char* memory : {g_variables, g_initialised, g_allocated, g_mapped}) {
    memset(memory, 0xee, kMemoryBytes);
  }
  for (int i = 0; i < 20; ++i) memset(malloc(10'000), 0xee, 10'000);
  char text[8];
  uint64_t events;
  expect(read(g_file, text, 3) == 3 && pwrite(g_file, "spoilt", 6, 0) == 6, "no file to spoil");
  expect(read(g_ready_pipe[0], text, 2) == 2 && write(g_ready_pipe[1], "more", 4) == 4,
         "no pipe to spoil");
  expect(read(g_ready_event, &events, sizeof events) == sizeof events, "no event to spoil");
  close(g_timer);
  for (int i = 0; i < 5; ++i) dup(g_file);
  open("another", O_RDWR | O_CREAT, 0600);
  unlink("position");
  signal(SIGALRM, SIG_IGN);
  umask(0);
  const itimerval none{};
  setitimer(ITIMER_REAL, &none, nullptr);
  sigset_t all;
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, nullptr);
  pthread_setname_np(pthread_self(), "spoilt");
  pthread_mutex_lock(&g_mutex);  // and away with it
  t_number = 99;
  return ++g_spoilt;
}

void* wait_for_ever(void*) {
  while (true) pause();
}

constexpr size_t kChunks = 4;
constexpr size_t kChunkBytes = 100'000;
constexpr size_t kFewBytes = 8 * kPage;  // too few to be moved into a file (memory.h)
constexpr unsigned char kFilling = 0x5a;
constexpr size_t kOthersChunks = 12;
unsigned char g_filling = kFilling;  // of chunks
unsigned char* g_chunks[kChunks];
unsigned char* g_others_chunks[kOthersChunks];  // of a heap that is not the first
unsigned char* g_pages;                         // mapped alone
unsigned char* g_others;                        // likewise
unsigned char* g_shut;                          // likewise, never touched: it must not be
const unsigned char* g_constants;               // filled; it cannot be written to any more
void* g_file_pages;                             // of a file
volatile int g_signals = 0;

// With no neighbours, so that it is a mapping of its own.
unsigned char* map_filled() {
  void* around =
      mmap(nullptr, kFewBytes + 2 * kPage, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  auto* mapped = static_cast<unsigned char*>(around) + kPage;
  mprotect(mapped, kFewBytes, PROT_READ | PROT_WRITE);
  return static_cast<unsigned char*>(memset(mapped, kFilling, kFewBytes));
}

void* allocate_others(void*) {
  for (unsigned char*& chunk : g_others_chunks) {
    chunk = static_cast<unsigned char*>(memset(malloc(kChunkBytes), kFilling, kChunkBytes));
  }
  return nullptr;
}

// When all other threads have heaps: who came later would go on with this one.
void make_other_heap() {
  pthread_t other;
  pthread_create(&other, nullptr, allocate_others, nullptr);
  pthread_join(other, nullptr);
}

// As a setup does it: what lies in memory is not any more what was moved into a file (memory.h).
void fill_again() {
  g_filling = kFilling + 1;
  for (unsigned char* chunk : g_chunks) memset(chunk, g_filling, kChunkBytes);
  for (unsigned char* chunk : g_others_chunks) memset(chunk, g_filling, kChunkBytes);
}

void make_what_can_be_lost() {
  for (unsigned char*& chunk : g_chunks) {
    chunk = static_cast<unsigned char*>(memset(malloc(kChunkBytes), kFilling, kChunkBytes));
  }
  g_pages = map_filled();
  g_others = map_filled();
  g_shut = static_cast<unsigned char*>(
      mmap(nullptr, kFewBytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  unsigned char* constants = map_filled();
  mprotect(constants, kFewBytes, PROT_READ);
  g_constants = constants;
  const int file = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
  g_file_pages = mmap(nullptr, kPage, PROT_READ, MAP_PRIVATE, file, 0);
  close(file);
  signal(SIGUSR1, [](int) { g_signals = g_signals + 1; });
  // Once more: closed, it takes the lock of the first one along. That is taken anew here.
  open("position", O_RDWR);
}

bool lose(const char* what) {
  if (strcmp(what, "pages") == 0) return madvise(g_pages, kFewBytes, MADV_DONTNEED) == 0;
  if (strcmp(what, "heap") == 0) {
    for (size_t i = kChunks; i-- > 0;) free(g_chunks[i]);
    return malloc_trim(0) == 1;  // by a madvise that no hook sees
  }
  if (strcmp(what, "heap-inside") == 0) {
    for (size_t i = kChunks - 1; i-- > 0;) free(g_chunks[i]);
    return malloc_trim(kMemoryBytes) == 1;  // likewise, and the break stays where it is
  }
  if (strcmp(what, "other-heap") == 0) {
    mallopt(M_TRIM_THRESHOLD, static_cast<int>(kChunkBytes));
    for (size_t i = kOthersChunks; i-- > 0;) free(g_others_chunks[i]);  // likewise
    return true;
  }
  if (strcmp(what, "mapping") == 0) {
    munmap(g_others, kFewBytes);
    return mmap(g_others, kFewBytes, PROT_READ | PROT_WRITE,
                MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == g_others;
  }
  if (strcmp(what, "signal") == 0) {
    sigset_t one;
    sigemptyset(&one);
    sigaddset(&one, SIGUSR1);
    return pthread_sigmask(SIG_BLOCK, &one, nullptr) == 0 && raise(SIGUSR1) == 0;
  }
  return false;
}

bool is_filled(const unsigned char* memory, size_t bytes, unsigned char filling = kFilling) {
  for (size_t i = 0; i < bytes; ++i) {
    if (memory[i] != filling) return false;
  }
  return true;
}

constexpr size_t kSharedBytes = 3 * kPage;
char* g_shared;

int open_shared(const char* what) {
  if (strcmp(what, "memfd") == 0) return memfd_create("shared", MFD_CLOEXEC);
  if (strcmp(what, "anonymous") == 0) return -1;
  const int file = open(what, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (strcmp(what, "deleted") == 0) unlink(what);
  return file;
}

void write_shared(const char* text) {
  for (size_t at = 0; at < kSharedBytes; at += kPage) strcpy(g_shared + at, text);
}

bool share(const char* what) {
  const int file = open_shared(what);
  if (file >= 0 && ftruncate(file, kSharedBytes) != 0) return false;
  void* mapped = mmap(nullptr, kSharedBytes, PROT_READ | PROT_WRITE,
                      MAP_SHARED | (file < 0 ? MAP_ANONYMOUS : 0), file, 0);
  if (file >= 0) close(file);
  if (mapped == MAP_FAILED) return false;
  g_shared = static_cast<char*>(mapped);
  write_shared("template");
  return true;
}

const char* shared() {
  const bool equal =
      strcmp(g_shared, g_shared + kPage) == 0 && strcmp(g_shared, g_shared + 2 * kPage) == 0;
  return equal ? g_shared : "pages differ";
}

int own_locks() {
  FILE* locks = fopen("/proc/locks", "r");
  char line[256];
  int count = 0;
  while (locks != nullptr && fgets(line, sizeof line, locks) != nullptr) {
    int pid = 0;
    const char* at = strstr(line, "WRITE");
    if (at != nullptr && sscanf(at, "WRITE %d", &pid) == 1 && pid == getpid()) ++count;
  }
  if (locks != nullptr) fclose(locks);
  return count;
}

const char* whole() {
  for (const unsigned char* chunk : g_chunks) {
    if (!is_filled(chunk, kChunkBytes, g_filling)) return "the heap has changed";
  }
  for (const unsigned char* chunk : g_others_chunks) {
    if (!is_filled(chunk, kChunkBytes, g_filling)) return "another heap has changed";
  }
  if (!is_filled(g_pages, kFewBytes)) return "pages have changed";
  if (!is_filled(g_others, kFewBytes)) return "a mapping has changed";
  if (!is_filled(g_constants, kFewBytes)) return "constants have changed";
  for (const unsigned char* memory : {g_variables, g_initialised, g_allocated, g_mapped}) {
    for (size_t i = 0; i < kMemoryBytes; ++i) {
      if (memory[i] != pattern(i)) return "large memory has changed";
    }
  }
  mprotect(g_shut, kFewBytes, PROT_READ);
  if (!all_zero(g_shut, kFewBytes)) return "what was shut has been written to";
  if (g_signals != 0) return "a signal of another life came";
  return own_locks() == 1 ? "ok" : "the lock is lost";
}

bool grow(const char* what) {
  if (strcmp(what, "constants") == 0) {
    void* constants = const_cast<unsigned char*>(g_constants);
    return mprotect(constants, kPage, PROT_READ | PROT_WRITE) == 0;
  }
  if (strcmp(what, "hole") == 0) return munmap(g_file_pages, kPage) == 0;
  if (strcmp(what, "shared") == 0) {
    return mmap(nullptr, kFewBytes, PROT_READ, MAP_SHARED | MAP_ANONYMOUS, -1, 0) != MAP_FAILED;
  }
  if (strcmp(what, "thread") == 0) {
    pthread_t thread;
    return pthread_create(&thread, nullptr, wait_for_ever, nullptr) == 0;
  }
  if (strcmp(what, "process") == 0) {
    const pid_t child = fork();
    if (child == 0) wait_for_ever(nullptr);
    return child > 0;
  }
  timer_t timer;
  return strcmp(what, "timer") == 0 && timer_create(CLOCK_MONOTONIC, nullptr, &timer) == 0;
}

void* map_few(void* where) {
  void* mapped = mmap(where, kFewBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return mapped == MAP_FAILED ? nullptr : memset(mapped, 0xee, kFewBytes);
}

// `memory` is larger than twice as much.
bool punch(unsigned char* memory, size_t bytes) {
  return munmap(memory + kPage, bytes) == 0;
}

__attribute__((noinline)) bool use_much_stack() {
  volatile unsigned char bytes[256 * kPage];
  for (size_t i = sizeof bytes; i > 0; i -= kPage / 2) bytes[i - 1] = 0xee;
  return bytes[sizeof bytes - 1] == 0xee;
}

bool map(const char* what) {
  constexpr int kBoth = PROT_READ | PROT_WRITE;
  constexpr size_t kFar = size_t{1} << 30;
  if (strcmp(what, "more") == 0) return map_few(nullptr) != nullptr;
  if (strcmp(what, "beside") == 0) return map_few(g_others + kFewBytes + kPage) != nullptr;
  if (strcmp(what, "elsewhere") == 0) {
    return map_few(g_others - kFar) != nullptr && munmap(g_others, kFewBytes) == 0;
  }
  if (strcmp(what, "hole") == 0) return punch(g_others, 2 * kPage);
  if (strcmp(what, "large-hole") == 0) return punch(g_mapped, kMemoryBytes / 2);
  if (strcmp(what, "variables-hole") == 0) {
    const size_t aside = kPage - reinterpret_cast<size_t>(g_variables) % kPage;
    return punch(g_variables + aside, kPage);
  }
  if (strcmp(what, "replaced") == 0) {
    return mmap(g_mapped, 2 * kPage, kBoth, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) ==
           g_mapped;
  }
  if (strcmp(what, "moved") == 0) {
    return mremap(g_others, kFewBytes, 4 * kFewBytes, MREMAP_MAYMOVE) != MAP_FAILED;
  }
  if (strcmp(what, "shrunk") == 0) {
    return mremap(g_mapped, kMemoryBytes, kPage, 0) == g_mapped;
  }
  if (strcmp(what, "read-only") == 0) return mprotect(g_pages + kPage, kPage, PROT_READ) == 0;
  if (strcmp(what, "shut") == 0) return mprotect(g_mapped, kMemoryBytes, PROT_NONE) == 0;
  if (strcmp(what, "code") == 0) return mprotect(g_pages, kPage, kBoth | PROT_EXEC) == 0;
  if (strcmp(what, "opened") == 0) {
    return mprotect(g_shut, 2 * kPage, kBoth) == 0 && memset(g_shut, 0xee, kPage) == g_shut;
  }
  if (strcmp(what, "constants-shut") == 0) {
    return mprotect(const_cast<unsigned char*>(g_constants), kPage, PROT_NONE) == 0;
  }
  if (strcmp(what, "break") == 0) return memset(sbrk(kMemoryBytes), 0xee, kMemoryBytes) != nullptr;
  return strcmp(what, "stack") == 0 && use_much_stack();
}

bool answer(int connection, const char* text) {
  return send(connection, text, strlen(text), MSG_NOSIGNAL) > 0;
}

int serve(const char* path) {
  const int listener = socket(AF_UNIX, SOCK_STREAM, 0);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  strncpy(address.sun_path, path, sizeof address.sun_path - 1);
  if (bind(listener, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0) return 1;
  listen(listener, 8);
  puts("ready");
  fflush(stdout);
  pollfd waiting[8] = {{listener, POLLIN, 0}};
  nfds_t count = 1;
  for (;;) {
    if (poll(waiting, count, 3'600'000) < 0) return 2;  // EINTR would be the snapshot's fault
    if ((waiting[0].revents & POLLIN) != 0 && count < 8) {
      waiting[count++] = {accept(listener, nullptr, nullptr), POLLIN, 0};
    }
    for (nfds_t i = 1; i < count; ++i) {
      if ((waiting[i].revents & POLLIN) == 0) continue;
      char text[64] = {};
      const ssize_t got = recv(waiting[i].fd, text, sizeof text - 1, 0);
      if (got <= 0) return 0;
      if (strcmp(text, "check") == 0) answer(waiting[i].fd, check());
      if (strcmp(text, "lock") == 0) {
        lock_two_parts();
        answer(waiting[i].fd, "locked");
      }
      if (strcmp(text, "whole") == 0) answer(waiting[i].fd, whole());
      if (strcmp(text, "fill") == 0) {
        fill_again();
        answer(waiting[i].fd, "filled");
      }
      if (strncmp(text, "lose ", 5) == 0) answer(waiting[i].fd, lose(text + 5) ? "lost" : "not");
      if (strncmp(text, "share ", 6) == 0) answer(waiting[i].fd, share(text + 6) ? "done" : "not");
      if (strcmp(text, "shared") == 0) answer(waiting[i].fd, shared());
      if (strcmp(text, "change") == 0) {
        write_shared("changed");
        answer(waiting[i].fd, shared());
      }
      if (strncmp(text, "map ", 4) == 0) answer(waiting[i].fd, map(text + 4) ? "mapped" : "not");
      if (strncmp(text, "grow ", 5) == 0) answer(waiting[i].fd, grow(text + 5) ? "grown" : "not");
      if (strcmp(text, "spoil") == 0) {
        snprintf(text, sizeof text, "%d", spoil());
        answer(waiting[i].fd, text);
      }
      if (strcmp(text, "fd") == 0) {
        snprintf(text, sizeof text, "%d", waiting[i].fd);
        answer(waiting[i].fd, text);
      }
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  make_objects();
  make_what_can_be_lost();
  start_threads();
  make_other_heap();
  const itimerval slowly{{100, 0}, {100, 0}};
  setitimer(ITIMER_REAL, &slowly, nullptr);
  if (argc > 1) return serve(argv[1]);
  const char* result = check();
  if (strcmp(result, "ok") == 0) return 0;
  fprintf(stderr, "%s\n", result);
  return 42;
}
