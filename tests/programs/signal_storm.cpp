// SPDX-License-Identifier: Apache-2.0
// No bug: three threads lock, wait, sleep and use files, while a timer of each interrupts it every
// 50 us, a few times in each round, with a handler that calls what handlers may call: clocks,
// files, a semaphore. Handlers arrive between any two instructions, those of a tool's own hooks
// included, and must neither deadlock nor upset what they interrupt.
//
// Depth: none. A 42, a deadlock, or no end, is a fault of the tool.
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <atomic>

namespace {

constexpr int kRounds = 150;
constexpr long kPeriod_ns = 50'000;
// Of a thread in one round. Where a handler takes longer than the period, as on a machine with much
// else to do, the thread would do nothing else; and as its handlers look like a thread that spins,
// the threads take turns at it, each of them after a switch of the machine's.
constexpr int kMostSignals = 5;

pthread_mutex_t g_lock = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t g_condition = PTHREAD_COND_INITIALIZER;
int g_counter = 0;  // guarded by g_lock
sem_t g_signals;
std::atomic<int> g_handled{0};
std::atomic<bool> g_good{true};
int g_null = -1;

thread_local timer_t t_timer{};
thread_local int t_handled = 0;

void set_period(long ns) {
  const itimerspec period{{0, ns}, {0, ns}};
  if (timer_settime(t_timer, 0, &period, nullptr) != 0) g_good = false;
}

void handle(int) {
  const int before = errno;
  if (++t_handled == kMostSignals) set_period(0);
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  char byte = 0;
  const int fd = open("/dev/null", O_RDWR);
  if (fd < 0 || write(fd, &byte, 1) != 1 || close(fd) != 0) g_good = false;
  if (pread(g_null, &byte, 1, 0) != 0) g_good = false;
  sem_post(&g_signals);
  ++g_handled;
  errno = before;
}

void create_timer() {
  sigevent event{};
  event.sigev_notify = SIGEV_THREAD_ID;
  event.sigev_signo = SIGRTMIN;
  event._sigev_un._tid = static_cast<pid_t>(syscall(SYS_gettid));
  if (timer_create(CLOCK_MONOTONIC, &event, &t_timer) != 0) g_good = false;
}

void* work(void*) {
  create_timer();
  for (int i = 0; i < kRounds; ++i) {
    t_handled = 0;
    set_period(kPeriod_ns);
    pthread_mutex_lock(&g_lock);
    ++g_counter;
    timespec until{};
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += 10'000;
    if (until.tv_nsec >= 1'000'000'000) until = {until.tv_sec + 1, 0};
    if (i % 8 == 0) pthread_cond_timedwait(&g_condition, &g_lock, &until);
    pthread_cond_signal(&g_condition);
    pthread_mutex_unlock(&g_lock);
    char byte = 0;
    if (pwrite(g_null, &byte, 1, 0) != 1) g_good = false;
    const timespec pause{0, 1'000};
    if (i % 8 == 4) nanosleep(&pause, nullptr);
  }
  timer_delete(t_timer);
  return nullptr;
}

}  // namespace

int main() {
  struct sigaction action {};
  action.sa_handler = handle;
  action.sa_flags = SA_RESTART;
  sigaction(SIGRTMIN, &action, nullptr);
  sem_init(&g_signals, 0, 0);
  g_null = open("/dev/null", O_RDWR);
  pthread_t threads[3];
  for (pthread_t& thread : threads) pthread_create(&thread, nullptr, work, nullptr);
  for (pthread_t thread : threads) pthread_join(thread, nullptr);
  int posted = 0;
  sem_getvalue(&g_signals, &posted);
  if (g_good && g_counter == 3 * kRounds && posted == g_handled) return 0;
  fprintf(stderr, "signal_storm: counted %d, handled %d, posted %d, %s\n", g_counter,
          g_handled.load(), posted, g_good ? "calls good" : "a call failed");
  return 42;
}
