// SPDX-License-Identifier: Apache-2.0
// POS and POS*: whose priority is kept, and whose is drawn anew.
#include "preload/strategy/pos.h"

#include <gtest/gtest.h>

#include "tests/models/model.h"
#include "tests/models/programs.h"

namespace esox::model {
namespace {

const Pending kFirst{0, OpKind::kMutexLock, 1, 1};
const Pending kSecond{1, OpKind::kMutexLock, 2, 1};
const Pending kThird{2, OpKind::kMutexLock, 3, 1};

// Fraction of seeds for which `chosen` of the three runs first, and `then` of the two others next.
double runs_in_order(const char* text, const std::vector<Pending>& enabled, ThreadId chosen,
                     ThreadId then) {
  constexpr uint64_t kSeeds = 30'000;
  uint64_t hits = 0;
  for (uint64_t seed = 0; seed < kSeeds; ++seed) {
    Holder strategy(text);
    strategy->begin({.seed = seed});
    if (strategy->choose(enabled, kNoThread) != chosen) continue;
    hits += strategy->choose(enabled, chosen) == then;
  }
  return static_cast<double>(hits) / kSeeds;
}

// Three events. That thread 0's is executed first and thread 1's next: the first priority is above
// the second, and the second above the third and above the new one that thread 0's next event
// draws. That is so in 2 of the 24 orders of four priorities.
TEST(Pos, KeepsThePriorityOfAnEventUntilItIsExecuted) {
  const double rate = runs_in_order("pos", {kFirst, kSecond, kThird}, 0, 1);
  EXPECT_NEAR(rate, 2.0 / 24, four_sigma(2.0 / 24, 30'000));
}

TEST(PosStar, IsPosWhereNothingConflicts) {
  const double rate = runs_in_order("pos*", {kFirst, kSecond, kThird}, 0, 1);
  EXPECT_NEAR(rate, 2.0 / 24, four_sigma(2.0 / 24, 30'000));
}

// All three on one object: each step is a new draw among three.
TEST(PosStar, DrawsConflictingEventsAnew) {
  std::vector<Pending> all = {kFirst, kSecond, kThird};
  for (Pending& pending : all) pending.object = 1;
  const double rate = runs_in_order("pos*", all, 0, 1);
  EXPECT_NEAR(rate, 1.0 / 9, four_sigma(1.0 / 9, 30'000));
}

TEST(PosStar, KeepsThePriorityOfSharersOfARead) {
  std::vector<Pending> all = {kFirst, kSecond, kThird};
  for (Pending& pending : all) {
    pending.object = 1;
    pending.kind = OpKind::kReadLock;
  }
  const double rate = runs_in_order("pos*", all, 0, 1);
  EXPECT_NEAR(rate, 2.0 / 24, four_sigma(2.0 / 24, 30'000));
}

// Yuan's figure 4.3: one event of another thread into a gap before which there are k events costs
// 1/(k+2), and nothing for what lies behind.
TEST(Pos, HitsAGapInProportionToWhatLiesBeforeIt) {
  for (const int pad : {0, 3, 8}) {
    const Program program = write_between_two_reads(pad);
    const double rate = hit_rate(program, "pos", 2, longest(program), 60'000);
    // The write comes after pad + 1 events: lowest of all those, and above the second read.
    const double n = pad + 3;
    const double bound = 1 / (n * (n - 1));
    EXPECT_GE(rate, bound - four_sigma(bound, 60'000)) << pad;
  }
}

TEST(Pos, ServesIdsBeyondTheLimitLast) {
  Holder pos("pos");
  pos->begin({.seed = 1});
  const Pending beyond{kMaxThreads, OpKind::kMutexLock, 4, 1};
  EXPECT_EQ(pos->choose({{kFirst, beyond}}, 0), 0);
  EXPECT_EQ(pos->choose({{beyond}}, 0), kMaxThreads);
}

}  // namespace
}  // namespace esox::model
