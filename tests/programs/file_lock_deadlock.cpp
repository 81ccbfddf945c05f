// SPDX-License-Identifier: Apache-2.0
// Bug: two threads lock two files by flock, in opposite orders, each through descriptors of its
// own.
//
// Depth: 2, as lock_order_deadlock. The kernel does not notice such a deadlock.
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/file.h>
#include <unistd.h>

namespace {

const char* const kFiles[2] = {"file_lock_deadlock.a", "file_lock_deadlock.b"};

void* lock_both(void* first_file) {
  const int first = *static_cast<const int*>(first_file);
  const int outer = open(kFiles[first], O_RDWR | O_CREAT, 0600);
  const int inner = open(kFiles[1 - first], O_RDWR | O_CREAT, 0600);
  flock(outer, LOCK_EX);
  flock(inner, LOCK_EX);
  flock(inner, LOCK_UN);
  close(outer);  // unlocks as well
  close(inner);
  return nullptr;
}

}  // namespace

int main() {
  int orders[2] = {0, 1};
  pthread_t threads[2];
  for (int i = 0; i < 2; ++i) pthread_create(&threads[i], nullptr, lock_both, &orders[i]);
  for (pthread_t thread : threads) pthread_join(thread, nullptr);
  for (const char* file : kFiles) unlink(file);
  return 0;
}
