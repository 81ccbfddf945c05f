// SPDX-License-Identifier: Apache-2.0
// What is told, when, and at which level.
#include <algorithm>
#include <set>

#include "tests/integration/tsan_fixture.h"

namespace esox {
namespace {

bool is_access(const TraceEvent& event) {
  return event.kind >= OpKind::kAtomicLoad && event.kind <= OpKind::kMemoryWrite;
}

bool is_plain(const TraceEvent& event) {
  return event.kind == OpKind::kMemoryRead || event.kind == OpKind::kMemoryWrite;
}

template <class Test>
size_t count_of(const ProgramResult& result, Test&& test) {
  return static_cast<size_t>(std::count_if(result.trace.begin(), result.trace.end(), test));
}

class AccessTest : public TsanTest, public testing::WithParamInterface<std::string> {
 protected:
  void SetUp() override { SKIP_WITHOUT(GetParam()); }

  ProgramResult run_at(AccessLevel level, const std::string& program = "seqlock") {
    return run(tsan_plan(GetParam(), program, Variant::kCorrect, level));
  }
};

TEST_P(AccessTest, OfEveryKindGivesWhatTheProgramExpects) {
  for (const char* strategy : {"random:p=1", "random:p=0.1", "pct:d=3"}) {
    ProgramPlan plan =
        tsan_plan(GetParam(), "every_access", Variant::kCorrect, AccessLevel::kAll, strategy);
    for (plan.seed = 1; plan.seed <= 10; ++plan.seed) {
      const ProgramResult result = run(plan);
      ASSERT_TRUE(clean(result)) << text_of(result);
      ASSERT_EQ(result.degraded, 0u);
      std::set<OpKind> kinds;
      for (const TraceEvent& event : result.trace) {
        if (is_access(event)) kinds.insert(event.kind);
      }
      ASSERT_EQ(kinds.size(), 5u);
    }
  }
}

TEST_P(AccessTest, IsNotOfferedAtTheLevelOfLibraryCalls) {
  EXPECT_EQ(count_of(run_at(AccessLevel::kNone), is_access), 0u);
}

TEST_P(AccessTest, IsOfferedIfAtomicAtTheLevelOfAtomics) {
  const ProgramResult result = run_at(AccessLevel::kAtomics);
  EXPECT_EQ(count_of(result, is_plain), 0u);
  // The writer's four updates and the reader's loads, in one order or another.
  EXPECT_GE(count_of(result, is_access), 6u);
}

TEST_P(AccessTest, IsOfferedIfPlainAtTheLevelOfAll) {
  // The writer's two times two, before any other.
  EXPECT_GE(count_of(run_at(AccessLevel::kAll), is_plain), 4u);
}

TEST_P(AccessTest, IsOfferedIfItsSiteIsListed) {
  ProgramPlan plan = tsan_plan(GetParam(), "seqlock", Variant::kCorrect, AccessLevel::kConflicting);
  EXPECT_EQ(count_of(run(plan), is_plain), 0u);
  learn_sites(&plan);
  // Two sites that write the pair and two that read it.
  std::set<uint64_t> sites;
  ASSERT_GE(plan.accesses.sites.size(), 4u);
  for (plan.seed = 1; plan.seed <= 20; ++plan.seed) {
    for (const TraceEvent& event : run(plan).trace) {
      if (is_plain(event)) sites.insert(event.site);
    }
  }
  EXPECT_THAT(plan.accesses.sites, testing::IsSupersetOf(sites));
  EXPECT_EQ(sites.size(), 4u);
}

TEST_P(AccessTest, IsLearnedFromASerialExecutionToo) {
  ProgramPlan plan =
      tsan_plan(GetParam(), "seqlock", Variant::kSeeded, AccessLevel::kNone, "pct:d=1");
  plan.accesses.learn = true;
  const ProgramResult result = run(plan);
  EXPECT_EQ(count_of(result, is_access), 0u);
  EXPECT_GE(result.learned_sites.size(), 4u);
}

TEST_P(AccessTest, OfMemoryThatEachThreadHasToItselfIsNotLearned) {
  ProgramPlan plan = tsan_plan(GetParam(), "every_access", Variant::kCorrect, AccessLevel::kNone);
  plan.accesses.learn = true;
  EXPECT_THAT(run(plan).learned_sites, testing::IsEmpty());
}

// main alone initialises, and looks at the results.
TEST_P(AccessTest, IsNotOfferedWhileOneThreadLives) {
  const ProgramResult result = run_at(AccessLevel::kAll, "shared_queue");
  EXPECT_EQ(count_of(result, [](const TraceEvent& e) { return is_access(e) && e.thread == 0; }),
            0u);
}

TEST_P(AccessTest, HasTheSameTraceUnderTheSameSeed) {
  for (const std::string& program : kLockFreePrograms) {
    ProgramPlan plan = tsan_plan(GetParam(), program, Variant::kSeeded, AccessLevel::kAll);
    for (plan.seed = 1; plan.seed <= 5; ++plan.seed) {
      const ProgramResult first = run(plan);
      const ProgramResult second = run(plan);
      ASSERT_TRUE(same_trace(first, second)) << program << ", seed " << plan.seed;
      ASSERT_TRUE(same_end(first, second));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(By, AccessTest, testing::Values("gcc", "clang"),
                         [](const auto& test) { return test.param; });

TEST_F(TsanTest, MoreSitesThanTheBlockHoldsAreRefused) {
  ProgramPlan plan = tsan_plan("gcc", "seqlock", Variant::kCorrect, AccessLevel::kConflicting);
  plan.accesses.sites.assign(kMaxAccessSites + 1, 1);
  EXPECT_THROW(run(plan), std::invalid_argument);
}

}  // namespace
}  // namespace esox
