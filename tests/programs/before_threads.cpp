// SPDX-License-Identifier: Apache-2.0
// Correct. What a program has before its first thread must be its own in every execution. The
// argument says what that is:
//   file      a file open for reading, which a thread then reads
//   pipe      a pipe, into which one thread writes and from which another reads half
//   memory    shared memory that counts who was there
//   child     a child process, waited for by a thread
//   timer     an alarm that has yet to come
//   lock      a mutex held while threads are made that want it
//   closed    no descriptors but the standard ones
// Exit status: 0 all is as in a process of its own, 42 it is not.
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

namespace {

const char* g_what = "";
FILE* g_file = nullptr;
int g_pipe[2] = {-1, -1};
int* g_count = nullptr;
pid_t g_child = -1;
int g_failures = 0;
pthread_mutex_t g_lock = PTHREAD_MUTEX_INITIALIZER;

bool is(const char* what) {
  return strcmp(g_what, what) == 0;
}

void expect(bool holds, const char* text) {
  if (holds) return;
  fprintf(stderr, "before_threads: %s\n", text);
  ++g_failures;
}

void prepare(const char* own_path) {
  if (is("file")) g_file = fopen(own_path, "rb");
  if (is("pipe") && pipe(g_pipe) != 0) ++g_failures;
  if (is("memory")) {
    g_count = static_cast<int*>(
        mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
  }
  if (is("child")) {
    g_child = fork();
    if (g_child == 0) _exit(7);
  }
  if (is("timer")) alarm(1000);
  if (is("closed")) close_range(3, ~0U, 0);
}

void use() {
  char text[4] = {};
  if (is("file")) expect(fread(text, 1, 4, g_file) == 4 && memcmp(text + 1, "ELF", 3) == 0, "file");
  if (is("pipe")) {
    expect(write(g_pipe[1], "ab", 2) == 2, "pipe, written");
    expect(read(g_pipe[0], text, 1) == 1 && text[0] == 'a', "pipe, read");
  }
  if (is("memory")) expect(++*g_count == 1, "memory");
  if (is("child")) {
    int status = 0;
    expect(waitpid(g_child, &status, 0) == g_child && WEXITSTATUS(status) == 7, "child");
  }
  if (is("timer")) expect(alarm(0) != 0, "timer");
}

void* once(void*) {
  pthread_mutex_lock(&g_lock);
  use();
  pthread_mutex_unlock(&g_lock);
  return nullptr;
}

void* nothing(void*) {
  pthread_mutex_lock(&g_lock);
  pthread_mutex_unlock(&g_lock);
  return nullptr;
}

}  // namespace

int main(int argc, char** argv) {
  g_what = argc > 1 ? argv[1] : "";
  prepare(argv[0]);
  if (is("lock")) pthread_mutex_lock(&g_lock);
  pthread_t threads[2];
  pthread_create(&threads[0], nullptr, once, nullptr);
  pthread_create(&threads[1], nullptr, nothing, nullptr);
  if (is("lock")) pthread_mutex_unlock(&g_lock);
  for (pthread_t thread : threads) pthread_join(thread, nullptr);
  return g_failures == 0 ? 0 : 42;
}
