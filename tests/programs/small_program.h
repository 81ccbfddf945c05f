// SPDX-License-Identifier: Apache-2.0
// A small program for every seed: a few threads, each with a handful of operations, as data. It is
// run by real calls (small_program.cpp), and all its interleavings are enumerated by a test
// (tests/models/interleavings.h), so that what a search says of it can be compared with what is.
//
// Cells are plain memory: within critical sections, but for the seeded bug that drops them. What
// a program comes to is its outcome; it is *wrong* if an increment of a cell was lost or a token
// taken that nobody gave, and so is a deadlock.
#pragma once

#include <string>
#include <vector>

#include "tests/programs/program_random.h"

namespace small {

inline constexpr int kMostThreads = 5;  // main included
inline constexpr int kMutexes = 3;      // the last one is recursive
inline constexpr int kCells = 6;        // 0 to 2 guarded by the mutexes, 3 by the read-write lock,
                                        // 4 by the spin lock, 5 counts tokens under mutex 0
inline constexpr int kTokens = 5;
inline constexpr int kSemaphores = 2;
inline constexpr int kAtomics = 2;

enum class Op : unsigned char {
  kLock,
  kUnlock,
  kTryLock,    // fails: misses, and passes over `skip` operations; so do the others that may fail
  kTimedLock,  // for `ms`
  kReadLock,
  kWriteLock,
  kTryReadLock,
  kTryWriteLock,
  kRwUnlock,
  kSpinLock,
  kSpinUnlock,
  kPost,
  kTake,
  kTryTake,
  kSignal,
  kBroadcast,
  kWait,  // with mutex 0
  kBarrier,
  kOnce,     // if it was done, passes over `skip` operations
  kOnceEnd,  // the last of these
  kSleep,    // for `ms`
  kJoin,
  kAtomicAdd,
  kAtomicLoad,  // is remembered
  kRead,        // a cell
  kRemember,    // ... what was read last
  kWrite,       // ... one more than was read
  kWriteLess,   // ... one less
  kRaise,       // a signal to itself, whose handler adds to an atomic
  kCreate,
  kDestructor,  // what follows is done by a destructor of thread-specific data
  kPassIfRead,  // passes over `skip` operations if what was read is not 0
  kBack,        // over `skip` operations, itself among them
  kEnd          // of the thread; of main: of the process
};

struct Step {
  Op op = Op::kEnd;
  unsigned char place = 0;
  unsigned char skip = 0;
  unsigned char ms = 0;
};

// What is seeded, if anything.
enum class Bug {
  kNone,
  kSectionSplit,    // the lock is given back between reading and writing
  kSectionDropped,  // there is none; shows where accesses are scheduling points
  kLocksReversed,
  kWaitNotRepeated,
  kSignalLost,  // the condition is looked at, then the lock given back, then it waits
  kCount
};

struct Program {
  std::vector<std::vector<Step>> threads;  // main first
  bool detached[kMostThreads] = {};
  int at_barrier = 0;  // threads that come to it
};

class Generator {
 public:
  Generator(unsigned long seed, Bug bug, bool with_accesses)
      : random_(seed), bug_(bug), with_accesses_(with_accesses) {}

  Program make() {
    const int workers = 2 + random_.below(2);
    const bool joins = bug_ == Bug::kLocksReversed || random_.below(4) != 0;
    const bool nests = joins;
    const int barrier = joins ? random_.below(4) : 1;  // 0: there is one
    program_.threads.resize(static_cast<size_t>(workers + 1));
    for (int t = 1; t <= workers; ++t) {
      steps_ = &program_.threads[static_cast<size_t>(t)];
      if (seeded(t)) add_bug();
      const int blocks = 1 + random_.below(seeded(t) ? 1 : 2);
      const int barrier_before = barrier == 0 ? random_.below(blocks) : -1;
      for (int i = 0; i < blocks; ++i) {
        if (i == barrier_before) add_barrier();
        add_block(nests);
      }
      if (random_.below(6) == 0) {
        add({Op::kDestructor});
        add_increment(random_.below(2));
      }
      program_.detached[t] = joins && barrier != 0 && bug_ == Bug::kNone && random_.below(6) == 0;
    }
    make_main(workers, joins);
    for (std::vector<Step>& steps : program_.threads) steps.push_back({Op::kEnd});
    return std::move(program_);
  }

 private:
  bool seeded(int thread) const { return bug_ != Bug::kNone && thread <= 2; }
  static unsigned char byte(int value) { return static_cast<unsigned char>(value); }
  void add(Step step) { steps_->push_back(step); }
  void add_barrier() {
    ++program_.at_barrier;
    add({Op::kBarrier});
  }
  // A time that no other sum of times equals, so that who wakes first is certain.
  unsigned char some_ms() { return byte(1 << (times_++ % 7)); }

  void add_access(int cell) {
    add({Op::kRead, byte(cell)});
    add({Op::kWrite, byte(cell)});
  }
  void add_increment(int mutex) {
    add({Op::kLock, byte(mutex)});
    add_access(mutex);
    add({Op::kUnlock, byte(mutex)});
  }
  void add_guarded(Step acquire, Op release, int cell) {
    add(acquire);
    add_access(cell);
    add({release, acquire.place});
  }
  void add_nested(int first, int second) {
    add({Op::kLock, byte(first)});
    add({Op::kLock, byte(second)});
    add_access(second);
    add({Op::kUnlock, byte(second)});
    add({Op::kUnlock, byte(first)});
  }
  void add_token(Op wake) {
    add({Op::kLock, 0});
    add_access(kTokens);
    add({wake});
    add({Op::kUnlock, 0});
  }
  void take_token(bool again) {
    add({Op::kLock, 0});
    add({Op::kRead, kTokens});
    if (again) {
      add({Op::kPassIfRead, 0, 3});
      add({Op::kWait});
      add({Op::kRead, kTokens});
      add({Op::kBack, 0, 4});
    } else {
      add({Op::kPassIfRead, 0, 2});
      add({Op::kWait});
      add({Op::kRead, kTokens});
    }
    add({Op::kWriteLess, kTokens});
    add({Op::kUnlock, 0});
  }

  // What a thread waits for, one with a lower number does at its end.
  template <class Add>
  void owe(Add add_to_it) {
    std::vector<Step>* const waiting = steps_;
    const auto number = static_cast<size_t>(waiting - program_.threads.data());
    steps_ = &program_.threads[static_cast<size_t>(random_.below(static_cast<int>(number)))];
    add_to_it();
    steps_ = waiting;
  }

  void add_block(bool nests) {
    const int mutex = random_.below(2);
    switch (random_.below(18)) {
      case 0:
        return nests ? add_nested(0, 1) : add_increment(mutex);
      case 1:  // recursive
        add({Op::kLock, 2});
        add({Op::kLock, 2});
        add_access(2);
        add({Op::kUnlock, 2});
        return add({Op::kUnlock, 2});
      case 2:
        return add_guarded({Op::kTryLock, byte(mutex), 3}, Op::kUnlock, mutex);
      case 3:
        return add_guarded({Op::kTimedLock, byte(mutex), 3, some_ms()}, Op::kUnlock, mutex);
      case 4:
        return add_guarded({Op::kWriteLock}, Op::kRwUnlock, 3);
      case 5:
        return add_guarded({Op::kTryWriteLock, 0, 3}, Op::kRwUnlock, 3);
      case 6:
      case 7:
        add(random_.below(2) == 0 ? Step{Op::kReadLock} : Step{Op::kTryReadLock, 0, 3});
        add({Op::kRead, 3});
        add({Op::kRemember});
        return add({Op::kRwUnlock});
      case 8:
        return add_guarded({Op::kSpinLock}, Op::kSpinUnlock, 4);
      case 9:
        return add({Op::kPost, byte(random_.below(kSemaphores))});
      case 10: {
        const int semaphore = random_.below(kSemaphores);
        add({Op::kTake, byte(semaphore)});
        return owe([&] { add({Op::kPost, byte(semaphore)}); });
      }
      case 11:
        return add({Op::kTryTake, byte(random_.below(kSemaphores))});
      case 12:
        return add_token(random_.below(2) == 0 ? Op::kSignal : Op::kBroadcast);
      case 13:
        take_token(true);
        return owe([&] { add_token(Op::kSignal); });
      case 14:
        add({Op::kOnce, 0, 5});
        add_increment(1);
        return add({Op::kOnceEnd});
      case 15:
        return add({Op::kSleep, 0, 0, some_ms()});
      case 16:
        return add({Op::kRaise});
      default:
        add({Op::kAtomicAdd, byte(random_.below(kAtomics))});
        if (with_accesses_) add({Op::kAtomicLoad, byte(random_.below(kAtomics))});
        return;
    }
  }

  void add_bug() {
    const bool first = steps_ == &program_.threads[1];
    switch (bug_) {
      case Bug::kSectionSplit:
        add({Op::kLock, 1});
        add({Op::kRead, 1});
        add({Op::kUnlock, 1});
        add({Op::kLock, 1});
        add({Op::kWrite, 1});
        return add({Op::kUnlock, 1});
      case Bug::kSectionDropped:
        return add_access(1);
      case Bug::kLocksReversed:
        return first ? add_nested(0, 1) : add_nested(1, 0);
      case Bug::kWaitNotRepeated:
        if (!first) return take_token(false);
        add_token(Op::kBroadcast);
        return add_token(Op::kBroadcast);
      case Bug::kSignalLost:
        if (first) return add_token(Op::kSignal);
        add({Op::kLock, 0});
        add({Op::kRead, kTokens});
        add({Op::kUnlock, 0});
        add({Op::kPassIfRead, 0, 3});
        add({Op::kLock, 0});
        add({Op::kWait});
        return add({Op::kUnlock, 0});
      case Bug::kNone:
      case Bug::kCount:
        return;
    }
  }

  // Creates the others, but for the last one now and then, which the first one creates; does
  // something itself; joins who can be joined, or none.
  void make_main(int workers, bool joins) {
    std::vector<Step> owed = std::move(program_.threads[0]);
    program_.threads[0].clear();
    steps_ = &program_.threads[0];
    const bool by_first = random_.below(4) == 0 && !program_.detached[1];
    for (int t = 1; t <= workers - (by_first ? 1 : 0); ++t) add({Op::kCreate, byte(t)});
    if (by_first) {
      std::vector<Step>& first = program_.threads[1];
      first.insert(first.begin(), {Op::kCreate, byte(workers)});
    }
    if (bug_ == Bug::kWaitNotRepeated) take_token(true);
    if (owed.empty() && random_.below(3) == 0) add_increment(random_.below(2));
    steps_->insert(steps_->end(), owed.begin(), owed.end());
    for (int t = 1; t <= workers && joins; ++t) {
      if (!program_.detached[t]) add({Op::kJoin, byte(t)});
    }
  }

  Random random_;
  Bug bug_;
  bool with_accesses_;
  int times_ = 0;
  Program program_;
  std::vector<Step>* steps_ = nullptr;
};

inline Program generated(unsigned long seed, Bug bug, bool with_accesses) {
  return Generator(seed, bug, with_accesses).make();
}

// What the threads left behind, from which the outcome is told.
struct Remains {
  int cells[kCells] = {};
  int atomics[kAtomics] = {};
  int written[kMostThreads][kCells] = {};  // by each thread: increments, less tokens that it took
  int seen[kMostThreads] = {};             // what was remembered, and missed
};

// One more thing that a thread saw: so that outcomes differ where any of them does.
inline int seen_with(int seen, int value) {
  return (seen * 7 + value + 2) % 9973;
}
inline constexpr int kMissed = -1;

// What taking a token is worth, given how many there were.
inline int taken_of(int tokens) {
  return tokens > 0 ? 1 : 0;
}

inline bool is_wrong(const Remains& remains) {
  for (int cell = 0; cell < kCells; ++cell) {
    int sum = 0;
    for (const auto& of_thread : remains.written) sum += of_thread[cell];
    if (remains.cells[cell] != sum) return true;
  }
  return false;
}

inline std::string text_of(const Remains& remains) {
  std::string text = is_wrong(remains) ? "wrong" : "right";
  for (const int cell : remains.cells) text += " " + std::to_string(cell);
  text += ",";
  for (const int atomic : remains.atomics) text += " " + std::to_string(atomic);
  text += ",";
  for (const int seen : remains.seen) text += " " + std::to_string(seen);
  return text + "\n";
}

}  // namespace small
