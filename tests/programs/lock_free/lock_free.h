// SPDX-License-Identifier: Apache-2.0
// What the lock-free programs have in common. Each is run as
//
//   PROGRAM seeded|correct [NUMBER]
//
// and exits with 42 if the bug showed (one line on stderr says how), with 0 otherwise. No thread
// waits for another one: whoever finds nothing tries again a few times and gives up, so that every
// schedule comes to an end, and under control of library calls alone each thread runs in one piece.
#pragma once

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

namespace lock_free {

inline constexpr int kBugShown = 42;

using Body = void* (*)(void*);

// Starts all, then awaits all.
template <int kCount>
void run_threads(Body const (&bodies)[kCount]) {
  pthread_t threads[kCount];
  for (int i = 0; i < kCount; ++i) pthread_create(&threads[i], nullptr, bodies[i], nullptr);
  for (pthread_t thread : threads) pthread_join(thread, nullptr);
}

[[noreturn]] inline void show_bug(const char* program, const char* what, long value) {
  char line[160];
  const int length = snprintf(line, sizeof line, "%s: %s %ld\n", program, what, value);
  if (write(STDERR_FILENO, line, static_cast<size_t>(length)) < 0) _exit(1);
  _exit(kBugShown);
}

// Seeded<true>::run or Seeded<false>::run, as the command line says.
template <template <bool> class Program>
int run_as_told(int argc, char** argv) {
  const bool seeded = argc > 1 && strcmp(argv[1], "seeded") == 0;
  if (!seeded && (argc < 2 || strcmp(argv[1], "correct") != 0)) {
    fprintf(stderr, "%s: say 'seeded' or 'correct'\n", argv[0]);
    return 2;
  }
  const int number = argc > 2 ? atoi(argv[2]) : 0;
  return seeded ? Program<true>::run(number) : Program<false>::run(number);
}

}  // namespace lock_free
