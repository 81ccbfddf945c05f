// SPDX-License-Identifier: Apache-2.0
// The partial order of random schedules against its definition: the steps of a thread in turn, and
// dependent ones in the order in which they came.
#include "harness/search/exhaustive/step_precedence.h"

#include <gtest/gtest.h>

#include <random>

namespace esox::exhaustive {
namespace {

constexpr OpKind kKinds[] = {
    OpKind::kNone,        OpKind::kYield,       OpKind::kThreadCreate, OpKind::kThreadJoin,
    OpKind::kMutexLock,   OpKind::kMutexUnlock, OpKind::kReadLock,     OpKind::kSharedUnlock,
    OpKind::kTryReadLock, OpKind::kSemPost,     OpKind::kSemWait,      OpKind::kCondSignal,
    OpKind::kCondWait,    OpKind::kAtomicLoad,  OpKind::kAtomicStore,  OpKind::kRequestBegin,
    OpKind::kRequestEnd,  OpKind::kFileRead,    OpKind::kFileWrite};

class Schedules {
 public:
  explicit Schedules(uint64_t seed) : random_(seed) {}

  Step step() {
    Step made{.thread = static_cast<ThreadId>(draw(4)), .operations = {}};
    for (uint64_t n = 1 + draw(2); n > 0; --n) {
      const bool ends = draw(200) == 0;
      made.operations.push_back(
          {.thread = made.thread,
           .kind = ends ? OpKind::kProcessExit : kKinds[draw(std::size(kKinds))],
           .object = draw(5)});
    }
    return made;
  }

  uint64_t draw(uint64_t below) { return random_() % below; }

 private:
  std::mt19937_64 random_;
};

// By the definition: before[i][j].
std::vector<std::vector<bool>> order_of(const std::vector<Step>& steps) {
  std::vector<std::vector<bool>> before(steps.size(), std::vector<bool>(steps.size()));
  for (size_t j = 0; j < steps.size(); ++j) {
    for (size_t i = j; i-- > 0;) {
      if (steps[i].thread != steps[j].thread && independent(steps[i], steps[j])) continue;
      before[i][j] = true;
      for (size_t k = 0; k < i; ++k) {
        if (before[k][i]) before[k][j] = true;
      }
    }
  }
  return before;
}

void expect_order(const StepPrecedence& order, const std::vector<Step>& steps) {
  const auto before = order_of(steps);
  ASSERT_EQ(order.size(), steps.size());
  for (size_t j = 0; j < steps.size(); ++j) {
    for (size_t i = 0; i < j; ++i) ASSERT_EQ(order.before(i, j), before[i][j]) << i << ' ' << j;
  }
}

TEST(StepPrecedence, IsTheOrderOfDependentSteps) {
  for (uint64_t seed = 0; seed < 300; ++seed) {
    Schedules schedules(seed);
    StepPrecedence order;
    std::vector<Step> steps;
    for (int part = 0; part < 3; ++part) {
      const size_t kept = schedules.draw(steps.size() + 1);
      order.shorten(kept);
      steps.resize(kept);
      for (int i = 0; i < 25; ++i) {
        steps.push_back(schedules.step());
        const uint64_t name = order.name_with(steps.back());
        order.push(steps.back());
        ASSERT_EQ(order.name(), name);
      }
      expect_order(order, steps);
      if (HasFatalFailure()) FAIL() << "seed " << seed;
    }
  }
}

}  // namespace
}  // namespace esox::exhaustive
