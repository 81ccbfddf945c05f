// SPDX-License-Identifier: Apache-2.0
// The executions of one made input before it is worth serial orders: one client after the other, a
// few schedules of different strategies, their replays, and the same without some requests. Replies
// only: the state is not asked for.
//
// Each follows from the input's seed, what was asked for before, and nothing else.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "analysis/serial_run.h"
#include "harness/engine/executor.h"
#include "harness/generate/features.h"

namespace esox {

// By which an input is looked at first: one of each sort, as the portfolio has them.
inline constexpr std::array<const char*, 4> kGlances = {"wrw:share=12", "pos", "pct:d=3",
                                                        "random:p=0.05"};

// An execution, as far as it is needed to have it again.
struct Showing {
  std::vector<Choice> choices;
  std::vector<uint64_t> values;
  uint64_t seed = 0;
  size_t glance = 0;
  Behaviour behaviour;
  Features features;
  std::vector<ShownFeature> shown;  // the same, with their requests
  bool finished = true;             // it came to its end; else it has no features
};

// Nothing was lost of it, and it came to its end.
bool is_sound(const ExecutionReport& report);

class MutantRuns {
 public:
  // All outlive it.
  MutantRuns(Executor& executor, const ConcreteInput& input, uint64_t seed);

  // All requests of the first client, then all of the second, ...; with the state, if asked for.
  ExecutionReport forward(bool with_state = false);
  // The last client first.
  ExecutionReport backward();
  // After forward().
  ExecutionReport glance(size_t which);
  ExecutionReport replay(const Showing& showing);
  // Without some of the requests: its schedule as far as they are none of it, or, by a number from
  // 1, another one of its strategy.
  ExecutionReport reduced(const Showing& showing, const RequestSet& without, size_t number);

  uint64_t concurrent() const { return concurrent_; }  // executions so far
  uint64_t points() const { return points_; }          // of forward(), about
  const ConcreteInput& input() const { return input_; }

 private:
  ExecutionPlan plan() const;
  ExecutionPlan one_after_the_other(const std::vector<size_t>& clients) const;
  ExecutionPlan drawn(size_t glance, uint64_t seed) const;
  ExecutionReport run(const ExecutionPlan& plan);

  Executor& executor_;
  const ConcreteInput& input_;
  const uint64_t seed_;
  uint64_t concurrent_ = 0;
  uint64_t points_ = 0;
  uint64_t expected_points_ = 0;
  std::vector<uint64_t> expected_points_of_;
  std::vector<ObjectPoints> shared_objects_;
};

// Of a glance, a replay or the like.
Showing showing_of(const ExecutionReport& report, size_t glance, const Input& input);
Features features_of(const ExecutionReport& report, const Input& input);

}  // namespace esox
