// SPDX-License-Identifier: Apache-2.0
// No bug: while two threads work under a mutex, main makes children in the three usual ways: fork
// that goes on in the same program, fork and exec, posix_spawn. Children must run freely and to
// their end, though their parent's threads are held, and must not load what their parent loaded.
//
// Depth: none. A 42, or no end, is a fault of the tool.
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <spawn.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

namespace {

constexpr int kRounds = 5;
constexpr int kChildRounds = 10'000;

pthread_mutex_t g_lock = PTHREAD_MUTEX_INITIALIZER;
int g_counter = 0;  // guarded by g_lock

// In the child: no preload, no control block. Read by the shell from the environment it was given.
char kShell[] = "/bin/sh";
char kOption[] = "-c";
char kCheck[] = "test -z \"$LD_PRELOAD$ESOX_CONTROL\"";
char* const kArguments[] = {kShell, kOption, kCheck, nullptr};

void* count(void*) {
  for (int i = 0; i < kRounds; ++i) {
    pthread_mutex_lock(&g_lock);
    ++g_counter;
    pthread_mutex_unlock(&g_lock);
  }
  return nullptr;
}

// A lock of its own: g_lock may have been held when it was copied.
void lock_as_child() {
  pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
  pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
  for (int i = 0; i < kChildRounds; ++i) {
    pthread_mutex_lock(&lock);
    pthread_cond_signal(&condition);
    pthread_mutex_unlock(&lock);
  }
}

pthread_barrier_t g_meeting;
sem_t g_items;
pthread_once_t g_once = PTHREAD_ONCE_INIT;
int g_initialised = 0;

void initialise() {
  ++g_initialised;
}

void* meet(void*) {
  pthread_once(&g_once, initialise);
  pthread_barrier_wait(&g_meeting);
  const timespec pause{0, 1'000'000};
  nanosleep(&pause, nullptr);
  sem_post(&g_items);
  return nullptr;
}

// Threads of the child's own, with barriers, semaphores, sleeps, files and sockets. They are not
// controlled, but every call passes through the hooks.
bool all_families_work() {
  pthread_barrier_init(&g_meeting, nullptr, 3);
  sem_init(&g_items, 0, 0);
  pthread_t threads[2];
  for (pthread_t& thread : threads) {
    if (pthread_create(&thread, nullptr, meet, nullptr) != 0) return false;
  }
  meet(nullptr);
  for (pthread_t thread : threads) pthread_join(thread, nullptr);
  for (int i = 0; i < 3; ++i) {
    if (sem_trywait(&g_items) != 0) return false;
  }
  pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
  pthread_rwlock_rdlock(&rwlock);
  pthread_rwlock_unlock(&rwlock);
  int ends[2];
  char byte = 'x';
  if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0 || send(ends[0], &byte, 1, 0) != 1)
    return false;
  pollfd readable{ends[1], POLLIN, 0};
  if (poll(&readable, 1, -1) != 1 || recv(ends[1], &byte, 1, 0) != 1) return false;
  FILE* file = fopen("/proc/self/stat", "r");
  if (file == nullptr || fread(&byte, 1, 1, file) != 1 || fclose(file) != 0) return false;
  const int fd = open("/dev/null", O_WRONLY);
  return fd >= 0 && write(fd, &byte, 1) == 1 && close(fd) == 0 && g_initialised == 1;
}

[[noreturn]] void work_as_child() {
  lock_as_child();
  _exit(all_families_work() ? 0 : 1);
}

bool ended_well(pid_t child) {
  int status = -1;
  return child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status) &&
         WEXITSTATUS(status) == 0;
}

bool forked_child_works() {
  const pid_t child = fork();
  if (child == 0) work_as_child();
  return ended_well(child);
}

bool executed_child_works() {
  const pid_t child = fork();
  if (child == 0) {
    execv(kShell, kArguments);
    _exit(127);
  }
  return ended_well(child);
}

bool spawned_child_works() {
  pid_t child = -1;
  return posix_spawn(&child, kShell, nullptr, nullptr, kArguments, environ) == 0 &&
         ended_well(child);
}

}  // namespace

int main() {
  pthread_t threads[2];
  for (pthread_t& thread : threads) pthread_create(&thread, nullptr, count, nullptr);
  const bool forked = forked_child_works();
  count(nullptr);
  const bool executed = executed_child_works();
  count(nullptr);
  const bool spawned = spawned_child_works();
  for (pthread_t thread : threads) pthread_join(thread, nullptr);
  if (forked && executed && spawned && g_counter == 4 * kRounds) return 0;
  fprintf(stderr, "children: forked %d, executed %d, spawned %d, counted %d\n", forked, executed,
          spawned, g_counter);
  return 42;
}
