// SPDX-License-Identifier: Apache-2.0
// Every strategy does in a real program what it does in the simulation: under the same seed the
// threads run in the same order. So what the simulations show of a strategy (tests/unit/strategy)
// holds for programs, as long as the models have the programs' points (program_models.h).
#include <ostream>

#include "harness/engine/shared_objects.h"
#include "tests/integration/program_fixture.h"
#include "tests/models/program_models.h"

namespace esox {
namespace {

struct Simulated {
  const char* name;
  model::Program model;
};

void PrintTo(const Simulated& one, std::ostream* out) {
  *out << one.name;
}

std::vector<ThreadId> threads_of(const std::vector<Choice>& choices) {
  std::vector<ThreadId> threads;
  for (const Choice& choice : choices) threads.push_back(choice.thread);
  return threads;
}

class ProgramStrategies : public ProgramTest, public testing::WithParamInterface<Simulated> {
 protected:
  ProgramStrategies() : points_(points_of_threads(GetParam().model)) {}

  model::RunResult simulate(const std::string& strategy, uint64_t seed) const {
    model::Holder holder(strategy.c_str());
    return run_model(*holder, seed, {});
  }

  model::RunResult run_model(Strategy& strategy, uint64_t seed,
                             std::span<const ObjectPoints> objects) const {
    return model::run(GetParam().model, strategy,
                      {.seed = seed,
                       .threads = static_cast<uint32_t>(points_.size()),
                       .expected_points = longest(GetParam().model),
                       .points_of_thread = points_,
                       .objects = objects},
                      model::Offer::kEveryPoint);
  }

  ProgramPlan real_plan(const std::string& strategy, uint64_t seed) {
    ProgramPlan plan = plan_for(GetParam().name, strategy, seed);
    plan.spec.expected_points = longest(GetParam().model);
    plan.spec.expected_threads = static_cast<uint32_t>(points_.size());
    plan.spec.expected_points_of.assign(points_.begin(), points_.end());
    return plan;
  }

  // From the first execution in which no thread left early.
  std::vector<ObjectPoints> learn_objects(size_t count) {
    std::vector<ObjectPoints> objects;
    for (uint64_t seed = 1; seed <= 20 && objects.size() < count; ++seed) {
      objects = shared_objects_of(run(real_plan("pct:d=1", seed)).record.trace);
    }
    return objects;
  }

  std::vector<uint32_t> points_;
};

TEST_P(ProgramStrategies, RunTheThreadsAsInTheSimulation) {
  for (const char* strategy : {"random:p=1", "pct:d=3", "pos", "pos*", "rapos", "wrw",
                               "wrw:share=1000", "surw:objects=0"}) {
    uint32_t hits = 0;
    for (uint64_t seed = 1; seed <= 40; ++seed) {
      const ProgramResult real = run(real_plan(strategy, seed));
      const model::RunResult simulated = simulate(strategy, seed);
      ASSERT_EQ(real.end.degraded, 0u) << text_of(real);
      ASSERT_EQ(threads_of(real.record.choices), threads_of(simulated.choices))
          << strategy << ", seed " << seed;
      ASSERT_EQ(hit(real.end), simulated.bug) << strategy << ", seed " << seed;
      hits += hit(real.end);
    }
    EXPECT_GT(hits, 0u) << strategy;
  }
}

// Its objects are addresses, told by the trace of an earlier execution.
TEST_P(ProgramStrategies, SurwLearnsItsObjectsFromAnEarlierExecution) {
  constexpr uint32_t kExecutions = 150;
  constexpr uint32_t kSimulations = 20'000;
  const std::vector<ObjectPoints> model_objects = shared_objects(GetParam().model);
  const std::vector<ObjectPoints> objects = learn_objects(model_objects.size());
  ASSERT_EQ(objects.size(), model_objects.size());

  uint32_t hits = 0;
  for (uint64_t seed = 1; seed <= kExecutions; ++seed) {
    ProgramPlan plan = real_plan("surw", seed);
    plan.spec.shared_objects = objects;
    const ProgramResult real = run(plan);
    ASSERT_EQ(real.end.degraded, 0u) << text_of(real);
    hits += hit(real.end);
  }
  uint32_t simulated_hits = 0;
  model::Holder holder("surw");
  for (uint64_t seed = 1; seed <= kSimulations; ++seed) {
    simulated_hits += run_model(*holder, seed, model_objects).bug;
  }
  const double expected = simulated_hits / static_cast<double>(kSimulations);
  EXPECT_NEAR(hits / static_cast<double>(kExecutions), expected,
              model::four_sigma(expected, kExecutions) + model::four_sigma(expected, kSimulations));
}

INSTANTIATE_TEST_SUITE_P(
    Programs, ProgramStrategies,
    testing::Values(Simulated{"lock_order_deadlock", model::real_lock_order_deadlock()},
                    Simulated{"two_stage_update", model::real_two_stage_update()},
                    Simulated{"lost_wakeup", model::real_lost_wakeup()},
                    Simulated{"check_then_act", model::real_check_then_act()}),
    [](const auto& test) { return test.param.name; });

}  // namespace
}  // namespace esox
