// SPDX-License-Identifier: Apache-2.0
// No bug: two threads add to numbers in a file, under a lock on it in every way there is: flock
// (exclusive, and shared converted to exclusive), and the locks of fcntl that belong to open files.
// Then a child process holds a lock of the third kind, which belongs to processes, and main waits.
//
// Depth: none. A 42, a reported deadlock, or no end, is a fault of the tool.
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <atomic>

namespace {

constexpr int kRounds = 3;
const char* const kFile = "file_locks_correct.data";
std::atomic<bool> g_good{true};

void expect(bool kept) {
  if (!kept) g_good = false;
}

void add_one(int fd, off_t at) {
  char value = 0;
  expect(pread(fd, &value, 1, at) == 1);
  ++value;
  expect(pwrite(fd, &value, 1, at) == 1);
}

struct flock whole_file(short type) {
  struct flock lock {};
  lock.l_type = type;
  lock.l_whence = SEEK_SET;
  return lock;
}

void* add_under_locks(void*) {
  const int fd = open(kFile, O_RDWR);
  for (int i = 0; i < kRounds; ++i) {
    expect(flock(fd, LOCK_EX) == 0);
    add_one(fd, 0);
    expect(flock(fd, LOCK_UN) == 0);

    // Converting gives the shared lock up first: no deadlock of two who convert.
    expect(flock(fd, LOCK_SH) == 0);
    expect(flock(fd, LOCK_EX) == 0);
    add_one(fd, 1);
    expect(flock(fd, LOCK_UN) == 0);

    struct flock lock = whole_file(F_WRLCK);
    expect(fcntl(fd, F_OFD_SETLKW, &lock) == 0);
    add_one(fd, 2);
    lock = whole_file(F_UNLCK);
    expect(fcntl(fd, F_OFD_SETLKW, &lock) == 0);
  }
  expect(flock(fd, LOCK_EX) == 0);
  close(fd);  // unlocks as well
  return nullptr;
}

void wait_for_a_process() {
  int ready[2];
  expect(pipe(ready) == 0);
  const pid_t child = fork();
  const int fd = open(kFile, O_RDWR);
  if (child == 0) {
    expect(lockf(fd, F_LOCK, 0) == 0);
    expect(write(ready[1], "!", 1) == 1);
    const timespec pause{0, 50'000'000};
    nanosleep(&pause, nullptr);
    const char done = 1;
    expect(pwrite(fd, &done, 1, 3) == 1);
    _exit(g_good ? 0 : 1);
  }
  char byte = 0;
  expect(read(ready[0], &byte, 1) == 1);
  struct flock lock = whole_file(F_WRLCK);
  expect(fcntl(fd, F_SETLKW, &lock) == 0);
  expect(pread(fd, &byte, 1, 3) == 1 && byte == 1);
  int status = -1;
  expect(waitpid(child, &status, 0) == child && status == 0);
  close(fd);
}

}  // namespace

int main() {
  const int fd = open(kFile, O_RDWR | O_CREAT | O_TRUNC, 0600);
  const char zeros[4] = {};
  expect(write(fd, zeros, 4) == 4);
  pthread_t threads[2];
  for (pthread_t& thread : threads) pthread_create(&thread, nullptr, add_under_locks, nullptr);
  for (pthread_t thread : threads) pthread_join(thread, nullptr);
  char sums[3] = {};
  expect(pread(fd, sums, 3, 0) == 3);
  for (char sum : sums) expect(sum == 2 * kRounds);
  wait_for_a_process();
  close(fd);
  unlink(kFile);
  if (g_good) return 0;
  fprintf(stderr, "file_locks_correct: counted %d, %d, %d\n", sums[0], sums[1], sums[2]);
  return 42;
}
