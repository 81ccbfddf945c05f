// SPDX-License-Identifier: Apache-2.0
// User-defined functions with known concurrency bugs, loaded into a real server: every verdict
// class has a fault that must be caught.
//
//   esox_lost_update()  adds one to a counter in two critical sections: two calls may both give 1
//   esox_lock_pair(n)   takes two mutexes, in the order n says: AB against BA deadlocks
//   esox_spin()         waits, busily, for a second call that never comes: a hang
//   esox_crash()        follows a null pointer if another call is in its critical section's gap
//   esox_crash_alone()  follows a null pointer in any case
//   esox_stall_once(f)  blocks for ever where control does not reach, unless file f is there;
//                       makes it
//
// And some without a fault:
//   esox_write_alone()  makes a version odd while it changes something, as a sequence lock does
//   esox_read_even()    reads until the version is even, without a call
//   esox_join_worker()  awaits a thread of its own, which computes; returns the seconds it took
//   esox_join_hasty()   the same, which has little to do, and that never equally much
//   esox_peek(n)        asks, without waiting, what its client's connection is ready for (as a
//                       server does to see whether the client is still there), then takes a mutex
//   esox_touched(f)     by how many seconds the change of file f's status is later than its own
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stddef.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

// The part of the server's interface for such functions that is used here (its documentation: "User
// defined functions", calling sequences).
typedef struct {
  char maybe_null;
  unsigned int decimals;
  unsigned long max_length;
  char* ptr;
  char const_item;
  void* extension;
} FunctionInit;

typedef struct {
  unsigned int arg_count;
  int* arg_type;
  char** args;
  unsigned long* lengths;
} FunctionArguments;

#define FUNCTION_INIT(name)                                                           \
  char name##_init(FunctionInit* init, FunctionArguments* arguments, char* message) { \
    (void)init, (void)arguments, (void)message;                                       \
    return 0;                                                                         \
  }

static pthread_mutex_t counter_lock = PTHREAD_MUTEX_INITIALIZER;
static long long counter;

FUNCTION_INIT(esox_lost_update)
long long esox_lost_update(FunctionInit* init, FunctionArguments* arguments, char* is_null,
                           char* error) {
  (void)init, (void)arguments, (void)is_null, (void)error;
  pthread_mutex_lock(&counter_lock);
  const long long seen = counter;
  pthread_mutex_unlock(&counter_lock);
  pthread_mutex_lock(&counter_lock);
  counter = seen + 1;
  pthread_mutex_unlock(&counter_lock);
  return seen + 1;
}

static pthread_mutex_t pair[2] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};

FUNCTION_INIT(esox_lock_pair)
long long esox_lock_pair(FunctionInit* init, FunctionArguments* arguments, char* is_null,
                         char* error) {
  (void)init, (void)is_null, (void)error;
  const int first = arguments->arg_count > 0 && *(long long*)arguments->args[0] != 0;
  pthread_mutex_lock(&pair[first]);
  pthread_mutex_lock(&pair[1 - first]);
  pthread_mutex_unlock(&pair[1 - first]);
  pthread_mutex_unlock(&pair[first]);
  return 1;
}

static int arrivals;

FUNCTION_INIT(esox_spin)
long long esox_spin(FunctionInit* init, FunctionArguments* arguments, char* is_null, char* error) {
  (void)init, (void)arguments, (void)is_null, (void)error;
  pthread_mutex_lock(&counter_lock);
  ++arrivals;
  pthread_mutex_unlock(&counter_lock);
  for (;;) {
    pthread_mutex_lock(&counter_lock);
    const int all = arrivals > 2;
    pthread_mutex_unlock(&counter_lock);
    if (all) return 1;
  }
}

static int* target = &arrivals;

FUNCTION_INIT(esox_crash)
long long esox_crash(FunctionInit* init, FunctionArguments* arguments, char* is_null, char* error) {
  (void)init, (void)arguments, (void)is_null, (void)error;
  pthread_mutex_lock(&counter_lock);
  int* const kept = target;
  target = NULL;
  pthread_mutex_unlock(&counter_lock);
  *(volatile int*)kept = 1;
  pthread_mutex_lock(&counter_lock);
  target = kept;
  pthread_mutex_unlock(&counter_lock);
  return 1;
}

FUNCTION_INIT(esox_crash_alone)
long long esox_crash_alone(FunctionInit* init, FunctionArguments* arguments, char* is_null,
                           char* error) {
  (void)init, (void)arguments, (void)is_null, (void)error;
  int* volatile nowhere = NULL;
  *(volatile int*)nowhere = 1;
  return 1;
}

FUNCTION_INIT(esox_peek)
long long esox_peek(FunctionInit* init, FunctionArguments* arguments, char* is_null, char* error) {
  (void)init, (void)arguments, (void)is_null, (void)error;
  // The connection is one of these.
  for (int fd = 3; fd < 256; ++fd) {
    struct pollfd readable = {fd, POLLIN, 0};
    poll(&readable, 1, 0);
    struct pollfd writable = {fd, POLLOUT, 0};
    poll(&writable, 1, 0);
  }
  pthread_mutex_lock(&counter_lock);
  pthread_mutex_unlock(&counter_lock);
  return 1;
}

static volatile long long version;

FUNCTION_INIT(esox_write_alone)
long long esox_write_alone(FunctionInit* init, FunctionArguments* arguments, char* is_null,
                           char* error) {
  (void)init, (void)arguments, (void)is_null, (void)error;
  ++version;
  pthread_mutex_lock(&counter_lock);
  pthread_mutex_unlock(&counter_lock);
  return ++version & 1;
}

FUNCTION_INIT(esox_read_even)
long long esox_read_even(FunctionInit* init, FunctionArguments* arguments, char* is_null,
                         char* error) {
  (void)init, (void)arguments, (void)is_null, (void)error;
  while (version & 1) {
  }
  return 0;
}

static void* compute(void* unused) {
  for (volatile long i = 0; i < 100000000; ++i) {
  }
  return unused;
}

FUNCTION_INIT(esox_join_worker)
long long esox_join_worker(FunctionInit* init, FunctionArguments* arguments, char* is_null,
                           char* error) {
  (void)init, (void)arguments, (void)is_null, (void)error;
  const time_t before = time(NULL);
  pthread_t worker;
  if (pthread_create(&worker, NULL, compute, NULL) != 0) return -1;
  pthread_join(worker, NULL);
  return time(NULL) - before;
}

static void* compute_a_little(void* unused) {
  struct timespec now;
  syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &now);
  for (volatile long i = now.tv_nsec / 1000 % 7 * 200000; i > 0; --i) {
  }
  return unused;
}

FUNCTION_INIT(esox_join_hasty)
long long esox_join_hasty(FunctionInit* init, FunctionArguments* arguments, char* is_null,
                          char* error) {
  (void)init, (void)arguments, (void)is_null, (void)error;
  pthread_t worker;
  if (pthread_create(&worker, NULL, compute_a_little, NULL) != 0) return -1;
  return pthread_join(worker, NULL);
}

static int name_of_file(const FunctionArguments* arguments, char file[4096]) {
  if (arguments->arg_count != 1 || arguments->lengths[0] >= 4096) return 0;
  memset(file, 0, 4096);
  memcpy(file, arguments->args[0], arguments->lengths[0]);
  return 1;
}

FUNCTION_INIT(esox_touched)
long long esox_touched(FunctionInit* init, FunctionArguments* arguments, char* is_null,
                       char* error) {
  (void)init, (void)is_null, (void)error;
  char file[4096];
  struct stat status;
  if (!name_of_file(arguments, file) || stat(file, &status) != 0) return -1;
  return status.st_ctime - status.st_mtime;
}

FUNCTION_INIT(esox_stall_once)
long long esox_stall_once(FunctionInit* init, FunctionArguments* arguments, char* is_null,
                          char* error) {
  (void)init, (void)is_null, (void)error;
  char file[4096];
  if (!name_of_file(arguments, file)) return 0;
  const int fd = open(file, O_CREAT | O_EXCL | O_WRONLY, 0600);
  if (fd < 0) return 1;
  close(fd);
  for (;;) syscall(SYS_pause);
}
