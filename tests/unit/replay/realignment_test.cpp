// SPDX-License-Identifier: Apache-2.0
// Re-aligning against a simulated server: two threads with lists of operations, whose violation is
// that B's critical operation runs while A stands between two of its own.
#include "harness/findings/replay/realignment.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace esox {
namespace {

// One letter, one operation; its function is the letter.
class Program {
 public:
  Program(std::string a, std::string b) : threads_{std::move(a), std::move(b)} {}

  // As the strategy `segments` would: each up to its end, then the rest.
  std::string order(const Schedule& schedule) const {
    std::string all;
    size_t done[2] = {0, 0};
    const auto run = [&](ThreadId thread, size_t until) {
      for (; done[thread] < std::min(until, threads_[thread].size()); ++done[thread]) {
        // It stands before its operation `until`; what it did is what came before.
        all += threads_[thread][done[thread]];
      }
    };
    for (const Segment& segment : schedule) {
      run(segment.thread, segment.until == kToTheEnd ? SIZE_MAX : segment.until - 1);
    }
    run(0, SIZE_MAX);
    run(1, SIZE_MAX);
    return all;
  }

  Operations operations() const {
    Operations all;
    for (const std::string& thread : threads_) {
      std::vector<uint32_t>& of = all.of.emplace_back();
      for (const char letter : thread) {
        OperationName name;
        name.kind = OpKind::kMutexLock;
        name.function = name.site = std::string(1, letter);
        const auto known = std::find(all.names.begin(), all.names.end(), name);
        of.push_back(static_cast<uint32_t>(known - all.names.begin()));
        if (known == all.names.end()) all.names.push_back(name);
      }
    }
    return all;
  }

 private:
  std::string threads_[2];
};

struct Simulated {
  explicit Simulated(Program program) : now(std::move(program)) {}

  Realigned replay(const Schedule& schedule, const Operations& operations, size_t variants = 500) {
    return realign(schedule, operations, variants, 1, [this](const Schedule& one) {
      ++executions;
      last = now.order(one);
      // Broken: B's W between A's R and A's S.
      const size_t read = last.find('R');
      const size_t write = last.find('W');
      const size_t store = last.find('S');
      return Executed{read < write && write < store, now.operations(), {}, {}};
    });
  }

  Program now;
  unsigned executions = 0;
  std::string last;
};

const char* const kA = "abRcdS";
const char* const kB = "efWg";
// A up to its d, B to its end, A to its end.
const Schedule kSchedule = {{0, 5}, {1, kToTheEnd}, {0, kToTheEnd}};

TEST(Realignment, TheSameProgramIsFollowedToTheLetter) {
  Simulated same(Program(kA, kB));
  const Realigned realigned = same.replay(kSchedule, Program(kA, kB).operations());
  ASSERT_TRUE(realigned.found);
  EXPECT_EQ(realigned.followed.switches, 2u);
  EXPECT_EQ(realigned.followed.to_the_letter, 2u);
  EXPECT_EQ(realigned.followed.moved, 0u);
  EXPECT_EQ(realigned.varied, 0u);
}

TEST(Realignment, AddedOperationsMoveTheSwitch) {
  Simulated logging(Program("laxxbxxxRlcxdxS", "lelflWlg"));
  const Realigned realigned = logging.replay(kSchedule, Program(kA, kB).operations());
  ASSERT_TRUE(realigned.found);
  EXPECT_EQ(realigned.followed.moved, 1u);
  EXPECT_EQ(realigned.followed.added, 8u);
  EXPECT_EQ(realigned.varied, 0u) << "no search was needed";
  EXPECT_EQ(logging.executions, 2u);
}

TEST(Realignment, AnOperationThatIsGoneIsLookedForNearby) {
  Simulated changed(Program("abRcS", kB));
  const Realigned realigned = changed.replay(kSchedule, Program(kA, kB).operations());
  ASSERT_TRUE(realigned.found);
  EXPECT_EQ(realigned.followed.lost, 1u);
}

TEST(Realignment, TheNeighbourhoodIsSearchedWhereTheWindowMoved) {
  // The window is now elsewhere: d comes before R.
  Simulated changed(Program("abdxxxxRxS", kB));
  const Realigned realigned = changed.replay(kSchedule, Program(kA, kB).operations());
  ASSERT_TRUE(realigned.found);
  EXPECT_GT(realigned.varied, 0u);
}

TEST(Realignment, WithoutRecordedOperationsTheNumbersAreTakenAndTheirNeighbourhood) {
  Simulated logging(Program("laxxbxxxRlcxdxS", kB));
  const Realigned realigned = logging.replay(kSchedule, {});
  ASSERT_TRUE(realigned.found);
  EXPECT_EQ(realigned.followed.lost, 1u);
  EXPECT_GT(realigned.varied, 0u);
}

TEST(Realignment, AFixedProgramIsGivenUpAfterTheVariants) {
  Simulated atomic(Program("abcdS", kB));  // reads nothing that could be stale
  const Realigned realigned = atomic.replay(kSchedule, Program(kA, kB).operations(), 40);
  EXPECT_FALSE(realigned.found);
  EXPECT_EQ(realigned.variants, 40u);
  EXPECT_EQ(atomic.executions, 42u);
}

TEST(Realignment, ALimitEndsIt) {
  unsigned left = 3;
  const Realigned realigned =
      realign(kSchedule, {}, 100, 1, [&](const Schedule&) -> std::optional<Executed> {
        if (left == 0) return std::nullopt;
        --left;
        return Executed{};
      });
  EXPECT_FALSE(realigned.found);
  EXPECT_LE(realigned.variants, 2u);
}

}  // namespace
}  // namespace esox
