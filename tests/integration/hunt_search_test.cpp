// SPDX-License-Identifier: Apache-2.0
// All schedules of an input within a bound, on a real server: the search ends, says so, finds what
// is within its bound, and goes on where an earlier launch ended.
#include "harness/hunt/exploration.h"
#include "tests/integration/hunt_fixture.h"

namespace esox {
namespace {

using exhaustive::Bound;
using exhaustive::SearchSpec;
using testing::HasSubstr;
using testing::StartsWith;

constexpr uint64_t kMost = 20'000;  // executions; the searches here end long before

class HuntSearch : public HuntTest {
 protected:
  Exploration exploration(uint32_t preemptions) const {
    return exploration(SearchSpec{.bound = Bound::kPreemptions, .most = preemptions});
  }

  Exploration exploration(const SearchSpec& search) const {
    ExplorationSettings settings = this->settings().exploration;
    settings.search = search;
    settings.strategy_text = text_of(*settings.search);
    return {harmless(1).front(), settings};
  }

  ServerExecutor executor() { return {server_, options()}; }

  // The switches of each execution from this number on, until the search ends.
  static std::vector<std::vector<uint32_t>> rest_of(Exploration& exploration, Executor& executor,
                                                    uint64_t number, uint64_t most = kMost) {
    std::vector<std::vector<uint32_t>> schedules;
    for (; !exploration.searched() && number <= most; ++number) {
      std::vector<uint32_t>& schedule = schedules.emplace_back();
      const Judged judged = exploration.explore(executor, number);
      for (const Choice& one : judged.report.record.choices) {
        schedule.push_back(one.point);
        schedule.push_back(one.thread);
      }
    }
    return schedules;
  }
};

// Without a preemption each request runs to its end, but where it has to wait.
TEST_F(HuntSearch, EndsAndSaysSo) {
  Exploration exploration = this->exploration(0);
  ServerExecutor executor = this->executor();
  rest_of(exploration, executor, 1);
  ASSERT_TRUE(exploration.searched());
  EXPECT_GE(exploration.search()->executions(), 2u);
  EXPECT_TRUE(exploration.search()->exhausted()) << exploration.search()->text();
  EXPECT_THAT(exploration.search()->text(),
              StartsWith("exhausted: no violation within 0 preemptions ("));
}

TEST_F(HuntSearch, GoesOnWhereAnEarlierLaunchEnded) {
  constexpr uint64_t kEarlier = 30;
  constexpr uint64_t kAll = 80;
  Exploration whole = exploration(1);
  ServerExecutor executor = this->executor();
  const auto all = rest_of(whole, executor, 1, kAll);

  Exploration earlier = exploration(1);
  rest_of(earlier, executor, 1, kEarlier);
  Exploration later = exploration(1);
  later.restore(exploration_memory_of(to_bytes(earlier.memory())));
  const auto rest = rest_of(later, executor, kEarlier + 1, kAll);
  ASSERT_EQ(rest.size(), all.size() - kEarlier);
  EXPECT_TRUE(std::equal(rest.begin(), rest.end(), all.begin() + kEarlier));
  EXPECT_EQ(later.search()->text(), whole.search()->text());
}

// Far more orders than executions: small jobs come to their end, large ones are laid down.
TEST_F(HuntSearch, IterativelyExhaustsFewPointsAndLaysDownWhatIsTooMuch) {
  constexpr uint64_t kExecutions = 250;
  Exploration exploration = this->exploration(SearchSpec{.iterative = true});
  ServerExecutor executor = this->executor();
  exploration.expect(kExecutions);
  rest_of(exploration, executor, 1, kExecutions);
  EXPECT_EQ(exploration.search()->executions(), kExecutions);
  EXPECT_FALSE(exploration.search()->exhausted());
  EXPECT_THAT(exploration.search_text(), HasSubstr("  none: exhausted: no violation"));
  EXPECT_THAT(exploration.search_text(), HasSubstr("suspended: "));
  EXPECT_THAT(exploration.search()->text(), StartsWith("not exhausted: 0 violating of 250"));
}

// What an earlier launch was told of the executions to come decides what was suspended then.
TEST_F(HuntSearch, AnIterativeOneGoesOnByWhatItWasToldThen) {
  constexpr uint64_t kEarlier = 130;
  constexpr uint64_t kAll = 180;
  const SearchSpec iterative{.iterative = true};
  Exploration whole = exploration(iterative);
  ServerExecutor executor = this->executor();
  whole.expect(50);
  rest_of(whole, executor, 1, kEarlier);
  whole.expect(1'000);
  const auto more = rest_of(whole, executor, kEarlier + 1, kAll);

  Exploration earlier = exploration(iterative);
  earlier.expect(50);
  rest_of(earlier, executor, 1, kEarlier);
  Exploration later = exploration(iterative);
  later.restore(exploration_memory_of(to_bytes(earlier.memory())));
  later.expect(1'000);
  EXPECT_EQ(rest_of(later, executor, kEarlier + 1, kAll), more);
  EXPECT_EQ(later.search()->text(), whole.search()->text());
}

TEST_F(HuntSearch, GivesAnInputNoFurtherExecutionsOnceItIsExhausted) {
  HuntSettings settings = this->settings();
  settings.exploration.search = SearchSpec{.bound = Bound::kPreemptions, .most = 0};
  settings.exploration.strategy_text = text_of(*settings.exploration.search);
  settings.executions_each = kMost;
  Hunt hunt(executors(), harmless(2), settings, stop_);
  make_out(settings.out);
  hunt.run([](const HuntReport&) {});
  const HuntReport report = hunt.report();
  EXPECT_LT(report.executions, 200u);
  ASSERT_EQ(report.figures.size(), 2u);
  for (const InputFigures& figures : report.figures) {
    EXPECT_TRUE(figures.search.exhausted) << figures.search.said;
    EXPECT_THAT(figures.search.said, HasSubstr("no violation within 0 preemptions"));
  }
}

}  // namespace
}  // namespace esox
