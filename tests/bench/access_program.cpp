// SPDX-License-Identifier: Apache-2.0
// See accesses.cpp: a thread that writes to memory NUMBER times, of the kind that WHERE says
// (shared, stack), and says what one write took: as the compiler instruments it, and as it is.
//
//   bench_access_program NUMBER WHERE
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

namespace {

constexpr long kWords = 8;

long g_shared[kWords];
long g_number = 0;
bool g_on_stack = false;

// The thread's processor time, whatever else the machine does, and not by the C library, whose
// clocks are virtual ones under control.
double now_ns() {
  timespec now{};
  syscall(SYS_clock_gettime, CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) * 1e9 + static_cast<double>(now.tv_nsec);
}

__attribute__((noinline)) void write_told(long* words, long number) {
  for (long i = 0; i < number; ++i) {
    words[i % kWords] = i;
    asm volatile("" : : "r"(words) : "memory");
  }
}

__attribute__((noinline, no_sanitize("thread"))) void write_untold(long* words, long number) {
  for (long i = 0; i < number; ++i) {
    words[i % kWords] = i;
    asm volatile("" : : "r"(words) : "memory");
  }
}

void* measure(void*) {
  long own[kWords] = {};
  long* words = g_on_stack ? own : g_shared;
  const double begin_ns = now_ns();
  write_told(words, g_number);
  const double told_ns = now_ns();
  write_untold(words, g_number);
  const double untold_ns = now_ns();
  const auto number = static_cast<double>(g_number);
  printf("%.3f %.3f\n", (told_ns - begin_ns) / number, (untold_ns - told_ns) / number);
  return nullptr;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  g_number = atol(argv[1]);
  g_on_stack = strcmp(argv[2], "stack") == 0;
  pthread_t thread;
  pthread_create(&thread, nullptr, measure, nullptr);
  pthread_join(thread, nullptr);
  return 0;
}
