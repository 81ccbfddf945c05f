// SPDX-License-Identifier: Apache-2.0
// Searches of the model programs of tests/unit/strategy.
#pragma once

#include <set>
#include <string>

#include "harness/engine/schedule_runner.h"
#include "tests/models/model.h"

namespace esox::exhaustive {

class ModelRunner final : public ScheduleRunner {
 public:
  explicit ModelRunner(model::Program program) : program_(std::move(program)) {}
  ExecutedSchedule run(const Beginning& beginning) override;

 private:
  model::Program program_;
};

// By brute force: what all schedules of a program come to, within a bound on preemptions.
struct AllSchedules {
  uint64_t schedules = 0;
  std::set<std::string> partial_orders;
  std::set<std::string> violations;  // partial orders that show the bug
};

inline constexpr uint32_t kUnbounded = UINT32_MAX;

AllSchedules enumerate(const model::Program& program, uint32_t preemptions = kUnbounded);

}  // namespace esox::exhaustive
