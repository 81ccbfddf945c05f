// SPDX-License-Identifier: Apache-2.0
// No bug: every family of calls that the preload intercepts, used correctly by two threads at a
// time, each checking what POSIX promises: time-outs end not before their time, semaphores count,
// barriers hold everyone, pthread_once runs once, mutex types behave.
//
// Depth: none. Hit probability: 0 under any strategy; a 42 or a reported deadlock is a fault of the
// tool. All sleeps together are below a second of real or virtual time.
#include <errno.h>
#include <linux/futex.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <atomic>

namespace {

constexpr int64_t kMillisecond_ns = 1'000'000;
constexpr int64_t kShort_ns = 20 * kMillisecond_ns;
constexpr int64_t kLong_ns = 60'000 * kMillisecond_ns;  // never reached
constexpr int kRounds = 4;

std::atomic<const char*> g_failure{nullptr};  // the first promise that was broken

void expect(bool kept, const char* promise) {
  const char* none = nullptr;
  if (!kept) g_failure.compare_exchange_strong(none, promise);
}

int64_t now_ns(clockid_t clock) {
  timespec now{};
  clock_gettime(clock, &now);
  return now.tv_sec * 1'000'000'000 + now.tv_nsec;
}

timespec to_timespec(int64_t ns) {
  return {ns / 1'000'000'000, ns % 1'000'000'000};
}

timespec after(clockid_t clock, int64_t ns) {
  return to_timespec(now_ns(clock) + ns);
}

bool reached(clockid_t clock, const timespec& deadline) {
  return now_ns(clock) >= deadline.tv_sec * 1'000'000'000 + deadline.tv_nsec;
}

using Body = void (*)();

void* call(void* body) {
  reinterpret_cast<Body>(body)();
  return nullptr;
}

void run_two(Body one, Body other) {
  pthread_t threads[2];
  pthread_create(&threads[0], nullptr, call, reinterpret_cast<void*>(one));
  pthread_create(&threads[1], nullptr, call, reinterpret_cast<void*>(other));
  for (pthread_t thread : threads) pthread_join(thread, nullptr);
}

// Sleeps.

void sleep_in_every_way() {
  const int64_t begin = now_ns(CLOCK_MONOTONIC);
  const timespec pause = to_timespec(kShort_ns);
  nanosleep(&pause, nullptr);
  usleep(static_cast<useconds_t>(kShort_ns / 1000));
  clock_nanosleep(CLOCK_MONOTONIC, 0, &pause, nullptr);
  const timespec until = after(CLOCK_MONOTONIC, kShort_ns);
  clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, nullptr);
  poll(nullptr, 0, static_cast<int>(kShort_ns / kMillisecond_ns));
  sched_yield();
  expect(now_ns(CLOCK_MONOTONIC) - begin >= 5 * kShort_ns, "a sleep lasts as long as asked");
}

// Mutexes.

pthread_mutex_t g_mutex = PTHREAD_MUTEX_INITIALIZER;
int g_counter = 0;

void count_under_mutex() {
  for (int i = 0; i < kRounds; ++i) {
    const timespec deadline = after(CLOCK_REALTIME, kLong_ns);
    const int result =
        i % 2 == 0 ? pthread_mutex_lock(&g_mutex) : pthread_mutex_timedlock(&g_mutex, &deadline);
    expect(result == 0, "a mutex is got in the end");
    const int seen = g_counter;
    sched_yield();
    g_counter = seen + 1;
    pthread_mutex_unlock(&g_mutex);
  }
}

void use_mutex_types() {
  pthread_mutexattr_t attributes;
  pthread_mutexattr_init(&attributes);
  pthread_mutex_t mutex;

  pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_RECURSIVE);
  pthread_mutex_init(&mutex, &attributes);
  expect(pthread_mutex_lock(&mutex) == 0, "a recursive mutex locks");
  expect(pthread_mutex_trylock(&mutex) == 0, "a recursive mutex locks again");
  expect(pthread_mutex_unlock(&mutex) == 0, "a recursive mutex unlocks");
  expect(pthread_mutex_unlock(&mutex) == 0, "a recursive mutex unlocks again");
  pthread_mutex_destroy(&mutex);

  pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_ERRORCHECK);
  pthread_mutex_init(&mutex, &attributes);
  expect(pthread_mutex_unlock(&mutex) == EPERM, "only the owner unlocks");
  pthread_mutex_lock(&mutex);
  expect(pthread_mutex_lock(&mutex) == EDEADLK, "an error-checking mutex refuses its owner");
  pthread_mutex_unlock(&mutex);
  pthread_mutex_destroy(&mutex);
  pthread_mutexattr_destroy(&attributes);
}

void check_mutexes() {
  run_two(count_under_mutex, count_under_mutex);
  expect(g_counter == 2 * kRounds, "a mutex excludes");
  run_two(use_mutex_types, use_mutex_types);
}

// A lock that is held for longer than another thread's patience.

pthread_barrier_t g_meeting;

void hold_mutex() {
  pthread_mutex_lock(&g_mutex);
  pthread_barrier_wait(&g_meeting);
  pthread_barrier_wait(&g_meeting);
  pthread_mutex_unlock(&g_mutex);
}

void fail_to_get_mutex() {
  pthread_barrier_wait(&g_meeting);
  expect(pthread_mutex_trylock(&g_mutex) == EBUSY, "trylock sees that a mutex is held");
  timespec deadline = after(CLOCK_REALTIME, kShort_ns);
  expect(pthread_mutex_timedlock(&g_mutex, &deadline) == ETIMEDOUT, "timedlock gives up");
  expect(reached(CLOCK_REALTIME, deadline), "timedlock does not give up early");
  deadline = after(CLOCK_MONOTONIC, kShort_ns);
  expect(pthread_mutex_clocklock(&g_mutex, CLOCK_MONOTONIC, &deadline) == ETIMEDOUT,
         "clocklock gives up");
  expect(reached(CLOCK_MONOTONIC, deadline), "clocklock does not give up early");
  pthread_barrier_wait(&g_meeting);
}

void check_timed_locks() {
  pthread_barrier_init(&g_meeting, nullptr, 2);
  run_two(hold_mutex, fail_to_get_mutex);
  pthread_barrier_destroy(&g_meeting);
}

// Condition variables.

pthread_cond_t g_condition = PTHREAD_COND_INITIALIZER;
bool g_flag = false;

void wait_for_flag() {
  pthread_mutex_lock(&g_mutex);
  const timespec deadline = after(CLOCK_REALTIME, kLong_ns);
  while (!g_flag) {
    const int result = pthread_cond_timedwait(&g_condition, &g_mutex, &deadline);
    expect(result == 0, "a signal that will come is waited for");
  }
  pthread_mutex_unlock(&g_mutex);
}

void set_flag_after_a_while() {
  const timespec pause = to_timespec(kShort_ns);
  nanosleep(&pause, nullptr);
  pthread_mutex_lock(&g_mutex);
  g_flag = true;
  pthread_cond_broadcast(&g_condition);
  pthread_mutex_unlock(&g_mutex);
}

void wait_in_vain() {
  pthread_mutex_lock(&g_mutex);
  timespec deadline = after(CLOCK_REALTIME, kShort_ns);
  while (pthread_cond_timedwait(&g_condition, &g_mutex, &deadline) != ETIMEDOUT) {
  }
  expect(reached(CLOCK_REALTIME, deadline), "timedwait does not end early");
  deadline = after(CLOCK_MONOTONIC, kShort_ns);
  while (pthread_cond_clockwait(&g_condition, &g_mutex, CLOCK_MONOTONIC, &deadline) != ETIMEDOUT) {
  }
  expect(reached(CLOCK_MONOTONIC, deadline), "clockwait does not end early");
  expect(pthread_mutex_trylock(&g_mutex) == EBUSY, "a wait that timed out holds the mutex again");
  pthread_mutex_unlock(&g_mutex);
}

void check_conditions() {
  run_two(wait_for_flag, set_flag_after_a_while);
  run_two(wait_in_vain, wait_in_vain);
}

// Semaphores.

sem_t g_items;
sem_t g_room;
std::atomic<int> g_in_flight{0};

void post_items() {
  for (int i = 0; i < kRounds; ++i) {
    sem_wait(&g_room);
    expect(++g_in_flight <= 1, "a semaphore of one lets one in");
    sem_post(&g_items);
  }
}

void take_items() {
  for (int i = 0; i < kRounds; ++i) {
    const timespec deadline = after(CLOCK_REALTIME, kLong_ns);
    expect(sem_timedwait(&g_items, &deadline) == 0, "a semaphore is got in the end");
    expect(--g_in_flight >= 0, "a semaphore counts what was posted");
    sem_post(&g_room);
  }
}

void check_semaphores() {
  sem_init(&g_items, 0, 0);
  sem_init(&g_room, 0, 1);
  run_two(post_items, take_items);
  expect(sem_trywait(&g_items) == -1 && errno == EAGAIN, "all items were taken");
  const timespec deadline = after(CLOCK_REALTIME, kShort_ns);
  expect(sem_timedwait(&g_items, &deadline) == -1 && errno == ETIMEDOUT, "sem_timedwait gives up");
  expect(reached(CLOCK_REALTIME, deadline), "sem_timedwait does not give up early");
  sem_destroy(&g_items);
  sem_destroy(&g_room);
}

// Barriers.

std::atomic<int> g_arrived{0};
std::atomic<int> g_leaders{0};

void meet_in_rounds() {
  for (int round = 1; round <= kRounds; ++round) {
    ++g_arrived;
    if (pthread_barrier_wait(&g_meeting) == PTHREAD_BARRIER_SERIAL_THREAD) ++g_leaders;
    expect(g_arrived == 2 * round, "a barrier holds until all have come");
    pthread_barrier_wait(&g_meeting);
  }
}

void check_barriers() {
  pthread_barrier_init(&g_meeting, nullptr, 2);
  run_two(meet_in_rounds, meet_in_rounds);
  expect(g_leaders == kRounds, "a barrier names one thread per round");
  pthread_barrier_destroy(&g_meeting);
}

// Spin locks.

pthread_spinlock_t g_spin;
int g_spin_counter = 0;

void count_under_spinlock() {
  for (int i = 0; i < kRounds; ++i) {
    if (i % 2 == 0 || pthread_spin_trylock(&g_spin) != 0) pthread_spin_lock(&g_spin);
    const int seen = g_spin_counter;
    sched_yield();
    g_spin_counter = seen + 1;
    pthread_spin_unlock(&g_spin);
  }
}

void check_spinlocks() {
  pthread_spin_init(&g_spin, PTHREAD_PROCESS_PRIVATE);
  run_two(count_under_spinlock, count_under_spinlock);
  expect(g_spin_counter == 2 * kRounds, "a spin lock excludes");
  pthread_spin_destroy(&g_spin);
}

// pthread_once, with a routine that takes a lock and sleeps.

pthread_once_t g_once = PTHREAD_ONCE_INIT;
int g_initialised = 0;

void initialise() {
  pthread_mutex_lock(&g_mutex);
  const timespec pause = to_timespec(kShort_ns);
  nanosleep(&pause, nullptr);
  ++g_initialised;
  pthread_mutex_unlock(&g_mutex);
}

void need_initialised() {
  pthread_once(&g_once, initialise);
  expect(g_initialised == 1, "pthread_once runs its routine once, before anyone goes on");
}

// Futexes.

std::atomic<uint32_t> g_word{0};
static_assert(sizeof(g_word) == sizeof(uint32_t));

long futex(int operation, uint32_t value, const timespec* timeout) {
  return syscall(SYS_futex, &g_word, operation, value, timeout, nullptr, 0);
}

void wait_for_word() {
  while (g_word == 0) futex(FUTEX_WAIT_PRIVATE, 0, nullptr);
}

void set_word() {
  g_word = 1;
  futex(FUTEX_WAKE_PRIVATE, 1, nullptr);
}

void check_futexes() {
  run_two(wait_for_word, set_word);
  expect(futex(FUTEX_WAIT_PRIVATE, 0, nullptr) == -1 && errno == EAGAIN,
         "a futex whose word has changed does not wait");
  const timespec deadline = after(CLOCK_MONOTONIC, kShort_ns);
  const timespec pause = to_timespec(kShort_ns);
  while (futex(FUTEX_WAIT_PRIVATE, 1, &pause) != -1 || errno != ETIMEDOUT) {
  }
  expect(reached(CLOCK_MONOTONIC, deadline), "a futex wait does not end early");
}

// Sockets between two threads.

int g_sockets[2];

void send_questions() {
  for (char i = 0; i < kRounds; ++i) {
    char answer = -1;
    send(g_sockets[0], &i, 1, 0);
    expect(recv(g_sockets[0], &answer, 1, 0) == 1 && answer == i + 1, "an answer arrives");
  }
}

void send_answers() {
  for (int i = 0; i < kRounds; ++i) {
    pollfd readable{g_sockets[1], POLLIN, 0};
    char question = -1;
    expect(poll(&readable, 1, -1) == 1, "poll sees the question");
    expect(recv(g_sockets[1], &question, 1, MSG_DONTWAIT) == 1, "a question arrives");
    ++question;
    send(g_sockets[1], &question, 1, 0);
  }
}

void check_sockets() {
  if (socketpair(AF_UNIX, SOCK_STREAM, 0, g_sockets) != 0) return;
  run_two(send_questions, send_answers);
  close(g_sockets[0]);
  close(g_sockets[1]);
}

// Threads that nobody joins, and the value that pthread_exit leaves.

sem_t g_gone;

void* leave_detached(void*) {
  sem_post(&g_gone);
  return nullptr;
}

void* leave_by_exit(void* value) {
  pthread_exit(value);
  return nullptr;
}

void check_threads() {
  sem_init(&g_gone, 0, 0);
  pthread_t thread;
  pthread_create(&thread, nullptr, leave_detached, nullptr);
  pthread_detach(thread);
  while (sem_wait(&g_gone) != 0) {
  }
  pthread_create(&thread, nullptr, leave_by_exit, &g_gone);
  void* value = nullptr;
  pthread_join(thread, &value);
  expect(value == &g_gone, "pthread_join gives what pthread_exit left");
}

}  // namespace

int main() {
  run_two(sleep_in_every_way, sleep_in_every_way);
  check_mutexes();
  check_timed_locks();
  check_conditions();
  check_semaphores();
  check_barriers();
  check_spinlocks();
  run_two(need_initialised, need_initialised);
  check_futexes();
  check_sockets();
  check_threads();
  const char* failure = g_failure;
  if (failure == nullptr) return 0;
  fprintf(stderr, "sleepers_correct: broken promise: %s\n", failure);
  return 42;
}
