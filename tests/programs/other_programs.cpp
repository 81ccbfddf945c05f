// SPDX-License-Identifier: Apache-2.0
// A program that has to do with others. The argument says how:
//   none      it makes no thread
//   forks     it makes no thread, but its child does
//   becomes   it becomes another program (true) before it has made a thread
//   later     the same, by a thread
//   says      a thread writes the value of the variable that is the next argument, and fails
//   leaves    a thread starts a process that lives on when the program has ended
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

namespace {

void* become_another(void*) {
  execl("/bin/true", "true", nullptr);
  return nullptr;
}

void* leave_a_child(void*) {
  if (fork() == 0) {
    execl("/bin/sleep", "sleep", "1000", nullptr);
    _exit(1);
  }
  return nullptr;
}

void* say(void* variable) {
  const char* value = getenv(static_cast<const char*>(variable));
  if (value != nullptr) puts(value);
  exit(5);
}

void* nothing(void*) {
  return nullptr;
}

int with_thread(void* (*routine)(void*), void* argument = nullptr) {
  pthread_t thread;
  pthread_create(&thread, nullptr, routine, argument);
  return pthread_join(thread, nullptr);
}

int with_child() {
  const pid_t child = fork();
  if (child == 0) _exit(with_thread(nothing));
  int status = 1;
  waitpid(child, &status, 0);
  return status;
}

}  // namespace

int main(int argc, char** argv) {
  const char* how = argc > 1 ? argv[1] : "none";
  if (strcmp(how, "forks") == 0) return with_child();
  if (strcmp(how, "becomes") == 0) become_another(nullptr);
  if (strcmp(how, "later") == 0) return with_thread(become_another);
  if (strcmp(how, "says") == 0 && argc > 2) return with_thread(say, argv[2]);
  if (strcmp(how, "leaves") == 0) return with_thread(leave_a_child);
  return 0;
}
