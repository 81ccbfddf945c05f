// SPDX-License-Identifier: Apache-2.0
// On the C library of the machine, whichever it is: what is looked up is held against what the
// objects were made with, or are doing.
#include "preload/core/library_layout.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <thread>

namespace esox {
namespace {

// Of the C library's own functions: the thread sanitizer puts others in their place.
class LibraryLayout : public testing::Test {
  void SetUp() override {
#ifdef __SANITIZE_THREAD__
    GTEST_SKIP() << "pthread_once is the thread sanitizer's";
#endif
  }
};

TEST_F(LibraryLayout, ClockOfAConditionVariableIsThatOfItsAttribute) {
  pthread_condattr_t attributes;
  pthread_condattr_init(&attributes);
  for (const clockid_t clock : {CLOCK_MONOTONIC, CLOCK_REALTIME}) {
    pthread_condattr_setclock(&attributes, clock);
    pthread_cond_t cond;
    pthread_cond_init(&cond, &attributes);
    EXPECT_EQ(clock_of(&cond), clock);
  }
  const pthread_cond_t plain = PTHREAD_COND_INITIALIZER;
  EXPECT_EQ(clock_of(&plain), CLOCK_REALTIME);
}

TEST_F(LibraryLayout, AConditionVariableIsSharedAsItsAttributeSays) {
  pthread_condattr_t attributes;
  pthread_condattr_init(&attributes);
  for (const clockid_t clock : {CLOCK_MONOTONIC, CLOCK_REALTIME}) {
    for (const int shared : {PTHREAD_PROCESS_PRIVATE, PTHREAD_PROCESS_SHARED}) {
      pthread_condattr_setclock(&attributes, clock);
      pthread_condattr_setpshared(&attributes, shared);
      pthread_cond_t cond;
      pthread_cond_init(&cond, &attributes);
      EXPECT_EQ(is_shared(&cond), shared == PTHREAD_PROCESS_SHARED);
      EXPECT_EQ(clock_of(&cond), clock);
    }
  }
  const pthread_cond_t plain = PTHREAD_COND_INITIALIZER;
  EXPECT_FALSE(is_shared(&plain));
}

// The library counts a variable's waiters and sleeps in the words beside the clock's bit.
TEST_F(LibraryLayout, ClockIsReadThroughWaitersAndWakeUps) {
  pthread_condattr_t attributes;
  pthread_condattr_init(&attributes);
  for (const clockid_t clock : {CLOCK_MONOTONIC, CLOCK_REALTIME}) {
    pthread_condattr_setclock(&attributes, clock);
    pthread_cond_t cond;
    pthread_cond_init(&cond, &attributes);
    pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
    bool waits = false;
    bool done = false;
    std::thread waiter([&] {
      pthread_mutex_lock(&mutex);
      waits = true;
      while (!done) pthread_cond_wait(&cond, &mutex);
      pthread_mutex_unlock(&mutex);
    });
    for (int wake_ups = 0; wake_ups < 100;) {
      pthread_mutex_lock(&mutex);
      EXPECT_EQ(clock_of(&cond), clock);
      if (waits) ++wake_ups;
      done = wake_ups == 100;
      pthread_cond_signal(&cond);
      pthread_mutex_unlock(&mutex);
    }
    waiter.join();
    EXPECT_EQ(clock_of(&cond), clock);
  }
}

TEST_F(LibraryLayout, KindOfAMutexIsThatOfItsAttributeHeldOrNot) {
  pthread_mutexattr_t attributes;
  pthread_mutexattr_init(&attributes);
  for (const int type : {PTHREAD_MUTEX_NORMAL, PTHREAD_MUTEX_RECURSIVE, PTHREAD_MUTEX_ERRORCHECK,
                         PTHREAD_MUTEX_ADAPTIVE_NP}) {
    pthread_mutexattr_settype(&attributes, type);
    pthread_mutex_t mutex;
    pthread_mutex_init(&mutex, &attributes);
    const auto check = [&] {
      EXPECT_EQ(is_recursive(&mutex), type == PTHREAD_MUTEX_RECURSIVE);
      EXPECT_EQ(is_error_checking(&mutex), type == PTHREAD_MUTEX_ERRORCHECK);
    };
    check();
    pthread_mutex_lock(&mutex);
    check();
    pthread_mutex_unlock(&mutex);
  }
}

pthread_once_t g_once_here;
bool g_ran;

void look_from_within() {
  g_ran = routine_runs(&g_once_here);
}

bool seen_from_within_only() {
  g_once_here = PTHREAD_ONCE_INIT;
  g_ran = false;
  const bool before = routine_runs(&g_once_here);
  pthread_once(&g_once_here, look_from_within);
  return g_ran && !before && !routine_runs(&g_once_here);
}

TEST_F(LibraryLayout, RoutineOfAOnceRunsFromItsBeginToItsEnd) {
  EXPECT_TRUE(seen_from_within_only());
}

// A once also holds how many forks were before its routine began.
TEST_F(LibraryLayout, RoutineOfAOnceRunsInAForkedChild) {
  ASSERT_TRUE(seen_from_within_only());
  const pid_t child = fork();
  if (child == 0) _exit(seen_from_within_only() ? 0 : 1);
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}

TEST_F(LibraryLayout, RoutineOfAOnceThatThrewDoesNotRun) {
  g_once_here = PTHREAD_ONCE_INIT;
  EXPECT_THROW(pthread_once(&g_once_here, [] { throw 1; }), int);
  EXPECT_FALSE(routine_runs(&g_once_here));
}

}  // namespace
}  // namespace esox
