// SPDX-License-Identifier: Apache-2.0
// Programs whose threads wait for each other by spinning come to their end under every strategy, as
// the scheduler asks it (preload/scheduler/fairness.h): workers do what they have to, each a part
// of it in a loop of its own, and spinners turn until all are done, or until it is their turn.
#include "preload/scheduler/fairness.h"

#include <gtest/gtest.h>

#include "preload/strategy/registry.h"
#include "tests/unit/strategy/random_program.h"

namespace esox::model {
namespace {

constexpr uint32_t kLimit = 200;
constexpr uint64_t kMostPoints = 50'000;

struct Thread {
  uint64_t work = 0;                // operations to be done before it ends; 0: it spins
  ThreadId awaits = kNoThread;      // a spinner: for this one's end
  std::vector<Pending> operations;  // of a turn of its loop
  uint64_t done = 0;
  bool ended = false;
};

std::vector<Thread> random_threads(Rng& rng) {
  std::vector<Thread> threads(2 + rng.below(6));
  for (ThreadId id = 0; id < threads.size(); ++id) {
    Thread& thread = threads[id];
    // Whoever spins waits for one with a lower number: so somebody can always go on.
    if (id == 0 || rng.below(3) == 0) {
      thread.work = 1 + rng.below(300);
    } else {
      thread.awaits = static_cast<ThreadId>(rng.below(id));
    }
    for (uint64_t n = 1 + rng.below(6); n > 0; --n) {
      constexpr OpKind kKinds[] = {OpKind::kAtomicLoad, OpKind::kAtomicUpdate, OpKind::kMutexLock,
                                   OpKind::kYield, OpKind::kMutexTrylock};
      thread.operations.push_back({id, kKinds[rng.below(5)], rng.below(3), 100 * id + n});
    }
  }
  return threads;
}

// What earlier executions seem to have told: also wrong things.
struct Told {
  std::vector<uint32_t> points;
  std::vector<ObjectPoints> objects;
};

Told random_told(Rng& rng, size_t threads) {
  Told told;
  for (size_t i = 0; i < threads; ++i) told.points.push_back(static_cast<uint32_t>(rng.below(500)));
  for (uint64_t object = 0; object < 3; ++object) {
    ObjectPoints& one = told.objects.emplace_back(ObjectPoints{object, {}});
    for (uint32_t& count : one.of_thread) count = static_cast<uint32_t>(rng.below(50));
  }
  return told;
}

// Points until all have ended; kMostPoints: they did not.
uint64_t points_of(std::vector<Thread> threads, Strategy& strategy) {
  Fairness fairness;
  fairness.begin();
  for (ThreadId id = 0; id < threads.size(); ++id) fairness.enter(id, 0);
  ThreadId current = kNoThread;
  for (uint64_t point = 1; point < kMostPoints; ++point) {
    ThreadSet standing;
    for (ThreadId id = 0; id < threads.size(); ++id) {
      if (!threads[id].ended) standing.add(id);
    }
    if (!standing.any()) return point;
    const auto pending_of = [&](ThreadId id) {
      const Thread& thread = threads[id];
      return thread.operations[thread.done % thread.operations.size()];
    };
    if (standing.has(current)) {
      const Pending pending = pending_of(current);
      fairness.stands_before(current, pending.site, pending.object, kLimit, point, standing);
    }
    std::vector<Pending> offered;
    for (ThreadId id = 0; id < threads.size(); ++id) {
      if (standing.has(id) && !fairness.held_back(id, standing)) offered.push_back(pending_of(id));
    }
    EXPECT_FALSE(offered.empty());
    if (offered.empty()) return kMostPoints;
    current = strategy.choose(offered, current);
    fairness.chosen(current, point);
    Thread& thread = threads[current];
    ++thread.done;
    thread.ended = thread.work != 0 ? thread.done == thread.work : threads[thread.awaits].ended;
  }
  return kMostPoints;
}

TEST(FairStrategies, BringEveryProgramOfSpinnersToItsEnd) {
  Rng rng(31);
  std::vector<std::string> texts = strategy_texts(true);
  for (const char* text : {"pct:d=1", "random:p=1", "random:p=0.001", "wrw:share=1",
                           "wrw:share=1000000", "surw:objects=0", "surw:objects=3"}) {
    texts.emplace_back(text);
  }
  for (int round = 0; round < 100; ++round) {
    const std::vector<Thread> threads = random_threads(rng);
    const Told told = random_told(rng, threads.size());
    for (const std::string& text : texts) {
      Holder strategy(text);
      strategy->begin({.seed = rng.next(),
                       .threads = static_cast<uint32_t>(threads.size()),
                       .expected_points = 1 + rng.below(1000),
                       .points_of_thread = told.points,
                       .objects = told.objects});
      ASSERT_LT(points_of(threads, *strategy), kMostPoints) << text << ", round " << round;
    }
  }
}

}  // namespace
}  // namespace esox::model
