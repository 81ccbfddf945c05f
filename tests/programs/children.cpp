// SPDX-License-Identifier: Apache-2.0
// No bug: while two threads work under a mutex, main makes children in the three usual ways: fork
// that goes on in the same program, fork and exec, posix_spawn. Children must run freely and to
// their end, though their parent's threads are held, and must not load what their parent loaded.
//
// Depth: none. A 42, or no end, is a fault of the tool.
#include <pthread.h>
#include <spawn.h>
#include <stdio.h>
#include <sys/wait.h>
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
[[noreturn]] void work_as_child() {
  pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
  pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
  for (int i = 0; i < kChildRounds; ++i) {
    pthread_mutex_lock(&lock);
    pthread_cond_signal(&condition);
    pthread_mutex_unlock(&lock);
  }
  _exit(0);
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
