// SPDX-License-Identifier: Apache-2.0
// The search of real programs visits each partial order that they have, once, and says so: the
// scheduler tells rightly who could have run, what all were about to do, and what was done.
//
// How many there are is known: counted by hand (tests/programs/counted_orders.cpp) or of the
// thesis.
#include <ostream>

#include "tests/integration/exec_fixture.h"

namespace esox {
namespace {

using exhaustive::Bound;
using exhaustive::SearchResult;
using exhaustive::SearchSpec;
using testing::HasSubstr;
using testing::StartsWith;

class ProgramSearch : public ExecTest {
 protected:
  CampaignReport searched(const std::string& program, const SearchSpec& spec,
                          std::vector<std::string> arguments = {}) {
    CampaignPlan plan = plan_for(program, "pos*", 100'000, std::move(arguments));
    plan.search = spec;
    plan.strategy_text = text_of(spec);
    return run(plan);
  }

  static SearchSpec within(uint32_t preemptions) {
    return {.bound = Bound::kPreemptions, .most = preemptions};
  }
};

struct Counted {
  std::string program;
  std::vector<std::string> arguments;
  uint64_t partial_orders;
  uint64_t failing = 0;
};

void PrintTo(const Counted& one, std::ostream* out) {
  *out << one.program;
  for (const std::string& argument : one.arguments) *out << " " << argument;
}

class CountedSearch : public ProgramSearch, public testing::WithParamInterface<Counted> {};

TEST_P(CountedSearch, VisitsEachPartialOrderOnceAndSaysSo) {
  const CampaignReport report = searched(GetParam().program, {}, GetParam().arguments);
  const SearchResult& result = *report.search;
  EXPECT_EQ(result.partial_orders, GetParam().partial_orders);
  EXPECT_EQ(result.violating, GetParam().failing);
  EXPECT_EQ(result.repeated, 0u);
  EXPECT_EQ(result.unusable, 0u);
  EXPECT_EQ(result.executions, result.partial_orders + result.cut_short);
  EXPECT_EQ(report.executions, result.executions);
  EXPECT_EQ(report.failed, result.violating);
  EXPECT_TRUE(result.exhausted) << text_of(result);
}

// Without a bound on what may be spent, the other way of searching comes to the same.
TEST_P(CountedSearch, ComesToTheSameByAllSchedules) {
  const CampaignReport report = searched(GetParam().program, within(100), GetParam().arguments);
  EXPECT_EQ(report.search->partial_orders, GetParam().partial_orders);
  EXPECT_EQ(report.search->violating, GetParam().failing);
  EXPECT_TRUE(report.search->exhausted) << text_of(*report.search);
}

INSTANTIATE_TEST_SUITE_P(Programs, CountedSearch,
                         testing::Values(Counted{"counted_orders", {"private", "2", "20"}, 1},
                                         Counted{"counted_orders", {"private", "5", "1"}, 1},
                                         Counted{"counted_orders", {"shared", "2", "1"}, 2},
                                         Counted{"counted_orders", {"shared", "2", "3"}, 20},
                                         Counted{"counted_orders", {"shared", "2", "4"}, 70},
                                         Counted{"counted_orders", {"shared", "3", "2"}, 90},
                                         Counted{"counted_orders", {"shared", "4", "1"}, 24},
                                         Counted{"counted_orders", {"readers", "4"}, 1},
                                         Counted{"counted_orders", {"writer", "3"}, 8},
                                         Counted{"counted_orders", {"made_late"}, 3},
                                         Counted{"counted_orders", {"woken"}, 2},
                                         Counted{"counted_orders", {"trylock"}, 3},
                                         Counted{"figure_3_1", {}, 12, 1},
                                         Counted{"lock_order_deadlock", {}, 3, 1},
                                         Counted{"lost_update", {}, 6, 4}));

}  // namespace
}  // namespace esox
