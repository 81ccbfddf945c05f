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
size_t count_of(const std::vector<TraceEvent>& trace, Test&& test) {
  return static_cast<size_t>(std::count_if(trace.begin(), trace.end(), test));
}

class AccessTest : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override { SKIP_WITHOUT(GetParam()); }

  LockFree make(const std::string& program, AccessLevel level) {
    return {folder_.path(), GetParam(), program, Variant::kCorrect, level};
  }

  std::vector<TraceEvent> trace_at(AccessLevel level, const std::string& name = "seqlock") {
    LockFree program = make(name, level);
    EXPECT_TRUE(clean(program.run("random:p=0.3", 1)));
    return program.server().record().trace;
  }

  // Of one execution in which none is offered.
  std::vector<uint64_t> learned_from(const std::string& name, const std::string& strategy) {
    LockFree program = make(name, AccessLevel::kNone);
    AccessSettings learning;
    learning.level = AccessLevel::kNone;
    learning.learn = true;
    program.server().offer(learning);
    EXPECT_TRUE(clean(program.run(strategy, 1)));
    EXPECT_EQ(count_of(program.server().record().trace, is_access), 0u);
    return program.server().learned_sites();
  }

  PrivateDirectory folder_{temporary_base()};
};

TEST_P(AccessTest, OfEveryKindGivesWhatTheProgramExpects) {
  LockFree program = make("every_access", AccessLevel::kAll);
  for (const char* strategy : {"random:p=1", "random:p=0.1", "pct:d=3"}) {
    for (uint64_t seed = 1; seed <= 10; ++seed) {
      const ProgramEnd end = program.run(strategy, seed);
      ASSERT_TRUE(clean(end)) << text_of(end) << program.server().output();
      ASSERT_EQ(end.degraded, 0u);
      std::set<OpKind> kinds;
      for (const TraceEvent& event : program.server().record().trace) {
        if (is_access(event)) kinds.insert(event.kind);
      }
      ASSERT_EQ(kinds.size(), 5u);
    }
  }
}

TEST_P(AccessTest, ByTheCLibraryIsToldToo) {
  // Per thread: memset, the copy of an object, memcpy.
  const auto whole_block = [](const TraceEvent& e) {
    return e.kind == OpKind::kMemoryWrite && e.aux == 1000;
  };
  EXPECT_GE(count_of(trace_at(AccessLevel::kAll, "every_access"), whole_block), 6u);
}

TEST_P(AccessTest, IsNotOfferedAtTheLevelOfLibraryCalls) {
  EXPECT_EQ(count_of(trace_at(AccessLevel::kNone), is_access), 0u);
}

TEST_P(AccessTest, IsOfferedIfAtomicAtTheLevelOfAtomics) {
  const std::vector<TraceEvent> trace = trace_at(AccessLevel::kAtomics);
  EXPECT_EQ(count_of(trace, is_plain), 0u);
  // The writer's four updates, and a load at least for each of two reads.
  EXPECT_GE(count_of(trace, is_access), 6u);
}

TEST_P(AccessTest, IsOfferedIfPlainAtTheLevelOfAll) {
  EXPECT_GE(count_of(trace_at(AccessLevel::kAll), is_plain), 4u);  // the writer's two times two
}

TEST_P(AccessTest, IsOfferedIfItsSiteIsListed) {
  LockFree program = make("seqlock", AccessLevel::kConflicting);
  // Two sites that write the pair and two that read it, and the atomic ones.
  EXPECT_GE(program.sites().size(), 4u);
  std::set<uint64_t> plain;
  for (uint64_t seed = 1; seed <= 50; ++seed) {
    program.run("random:p=0.3", seed);
    for (const TraceEvent& event : program.server().record().trace) {
      if (is_plain(event)) plain.insert(event.site);
    }
  }
  EXPECT_GE(plain.size(), 4u);
  EXPECT_TRUE(
      std::includes(program.sites().begin(), program.sites().end(), plain.begin(), plain.end()));
}

TEST_P(AccessTest, IsLeftOutIfItsSiteIsNotListed) {
  LockFree program = make("seqlock", AccessLevel::kConflicting);
  AccessSettings nothing;
  nothing.level = AccessLevel::kConflicting;
  program.server().offer(nothing);
  program.run("random:p=0.3", 1);
  EXPECT_EQ(count_of(program.server().record().trace, is_plain), 0u);
}

TEST_P(AccessTest, IsLearnedFromThreadsThatRunOneAfterTheOther) {
  EXPECT_GE(learned_from("seqlock", "pct:d=1").size(), 4u);
}

TEST_P(AccessTest, OfMemoryThatEachThreadHasToItselfIsNotLearned) {
  EXPECT_THAT(learned_from("every_access", "random:p=1"), testing::IsEmpty());
}

// main alone initialises the queue; it waits while there are others.
TEST_P(AccessTest, IsNotOfferedWhileOneThreadLives) {
  const auto by_main = [](const TraceEvent& e) { return is_access(e) && e.thread == 0; };
  EXPECT_EQ(count_of(trace_at(AccessLevel::kAll, "shared_queue"), by_main), 0u);
}

TEST_P(AccessTest, IsTheSameUnderTheSameSeed) {
  for (const std::string& name : kLockFreePrograms) {
    LockFree program = make(name, AccessLevel::kAll);
    for (uint64_t seed = 1; seed <= 5; ++seed) {
      const ExecutionRecord first = program.run_undisturbed("random:p=0.3", seed);
      const ExecutionRecord second = program.run_undisturbed("random:p=0.3", seed);
      ASSERT_TRUE(same_trace(first.trace, second.trace)) << name << ' ' << seed;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(By, AccessTest, testing::Values("gcc", "clang"),
                         [](const auto& test) { return test.param; });

TEST(AccessSites, AreRefusedIfTheyAreMoreThanTheBlockHolds) {
  const PrivateDirectory folder(temporary_base());
  LockFree program(folder.path(), "gcc", "seqlock", Variant::kCorrect, AccessLevel::kAll);
  AccessSettings many;
  many.level = AccessLevel::kConflicting;
  many.sites.assign(kMaxAccessSites + 1, 1);
  program.server().offer(many);
  EXPECT_THROW(program.run("random:p=1", 1), std::invalid_argument);
}

}  // namespace
}  // namespace esox
