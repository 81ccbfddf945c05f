// SPDX-License-Identifier: Apache-2.0
// The theorem of fairness.h against an adversary: it knows all, may choose whomever is offered, and
// wants one thread never to run. (Real strategies are in tests/unit/strategy/fairness_test.cpp.)
#include "preload/scheduler/fairness.h"

#include <gtest/gtest.h>

#include <random>
#include <vector>

namespace esox {
namespace {

constexpr uint32_t kLimit = 200;

struct Call {
  uint64_t site;
  uint64_t object;
};

// A thread that turns in a loop; `objects`: 0 the calls' own, else each call goes through so many.
struct Spinner {
  std::vector<Call> loop;
  uint64_t objects = 0;
  size_t next = 0;
  uint64_t turns = 0;

  Call call() {
    Call call = loop[next];
    if (objects != 0) call.object = turns % objects;
    next = (next + 1) % loop.size();
    turns += next == 0;
    return call;
  }
  uint64_t bound() const {
    const uint64_t turn = 2 * (loop.size() + 1) * kLimit;
    return objects == 0 ? turn : turn * Fairness::kPlaceFactor;
  }
};

Spinner random_spinner(std::mt19937_64& random, bool many_objects) {
  Spinner spinner;
  const size_t calls = 1 + random() % 8;
  const size_t places = 1 + random() % calls;
  for (size_t i = 0; i < calls; ++i) spinner.loop.push_back({random() % places, random() % 3});
  if (many_objects) spinner.objects = 100;
  return spinner;
}

// Thread 0 can always run, the others (from 1 on) spin.
class Adversary {
 public:
  explicit Adversary(std::vector<Spinner> spinners, uint64_t seed)
      : spinners_(std::move(spinners)), random_(seed) {
    fairness_.begin();
    for (ThreadId t = 0; t <= spinners_.size(); ++t) {
      fairness_.enter(t, 0);
      all_.add(t);
    }
    pass(1);
  }

  // Decisions until thread 0 had to be chosen.
  uint64_t starve(uint64_t most) {
    for (uint64_t waited = 0; waited < most; ++waited) {
      std::vector<ThreadId> offered;
      for (ThreadId t = 0; t <= spinners_.size(); ++t) {
        if (!fairness_.held_back(t, all_)) offered.push_back(t);
      }
      if (offered.empty()) return UINT64_MAX;  // nobody may run: never
      if (offered.back() == 0) {
        fairness_.chosen(0, ++now_);
        return waited;
      }
      const size_t first = offered.front() == 0 ? 1 : 0;
      pass(offered[first + random_() % (offered.size() - first)]);
    }
    return most;
  }

 private:
  void pass(ThreadId t) {
    fairness_.chosen(t, ++now_);
    const Call call = spinners_[t - 1].call();
    fairness_.stands_before(t, call.site, call.object, kLimit, ++now_, all_);
  }

  std::vector<Spinner> spinners_;
  std::mt19937_64 random_;
  Fairness fairness_;
  ThreadSet all_;
  uint64_t now_ = 0;
};

TEST(Fairness, LetsNobodyWaitForLongerThanTheTheoremSays) {
  std::mt19937_64 random(1);
  for (int i = 0; i < 60; ++i) {
    std::vector<Spinner> spinners;
    uint64_t bound = 0;
    for (uint64_t n = 1 + random() % 6; n > 0; --n) {
      spinners.push_back(random_spinner(random, random() % 4 == 0));
      bound += spinners.back().bound();
    }
    Adversary adversary(spinners, random());
    ASSERT_LE(adversary.starve(bound + 1), bound) << "case " << i;
  }
}

// So a thread that has much to do comes to its end within the limit of points.
TEST(Fairness, GivesATurnForEveryFewOperationsOfThoseKnownToSpin) {
  std::mt19937_64 random(2);
  for (int i = 0; i < 60; ++i) {
    std::vector<Spinner> spinners;
    const uint64_t count = 1 + random() % 6;
    for (uint64_t n = 0; n < count; ++n) spinners.push_back(random_spinner(random, false));
    Adversary adversary(spinners, random());
    for (int turn = 0; turn < 12; ++turn) adversary.starve(UINT64_MAX);
    uint64_t waited = 0;
    for (int turn = 0; turn < 100; ++turn) waited += adversary.starve(UINT64_MAX);
    ASSERT_LE(waited, 100 * count * 2 * (Fairness::kLeastPatience + 2)) << "case " << i;
  }
}

TEST(Fairness, LeavesAloneWhoeverDoesSomethingNewNowAndThen) {
  Fairness fairness;
  fairness.begin();
  ThreadSet both;
  both.add(0);
  both.add(1);
  fairness.enter(0, 0);
  fairness.enter(1, 0);
  for (uint64_t i = 1; i < 20'000; ++i) {
    const uint64_t site = i % 100 == 0 ? 1000 + i : i % 3;
    ASSERT_FALSE(fairness.stands_before(0, site, 1, kLimit, i, both)) << i;
    fairness.chosen(0, i);
  }
}

TEST(Fairness, YieldsToNobodyWhoHasHadHisTurn) {
  Fairness fairness;
  fairness.begin();
  ThreadSet both;
  both.add(0);
  both.add(1);
  fairness.enter(0, 0);
  fairness.enter(1, 0);
  for (uint64_t i = 1; i < 20'000; ++i) {
    ASSERT_FALSE(fairness.stands_before(0, 1, 1, kLimit, i, both)) << i;
    fairness.chosen(i % (kLimit / 2) == 0 ? 1 : 0, i);
  }
}

TEST(Fairness, HoldsBackOnlyWhileSomebodyElseCanRun) {
  Fairness fairness;
  fairness.begin();
  ThreadSet both;
  both.add(0);
  both.add(127);
  ThreadSet alone;
  alone.add(0);
  fairness.enter(0, 0);
  fairness.enter(127, 0);
  fairness.chosen(0, 1);
  fairness.yield_to_all(0, 2, both);
  EXPECT_TRUE(fairness.held_back(0, both));
  EXPECT_FALSE(fairness.held_back(127, both));
  EXPECT_FALSE(fairness.held_back(0, alone));
  fairness.chosen(127, 3);
  EXPECT_FALSE(fairness.held_back(0, both));
}

}  // namespace
}  // namespace esox
