// SPDX-License-Identifier: Apache-2.0
// The schedules of a program, for the exhaustive search (harness/search/exhaustive/search.h): each
// branch is one forked execution under the strategy `prefix`.
#pragma once

#include <chrono>
#include <functional>

#include "harness/engine/schedule_runner.h"
#include "harness/programs/failure.h"
#include "harness/programs/program_server.h"

namespace esox {

class ProgramSchedules final : public exhaustive::ScheduleRunner {
 public:
  // Told of every execution as soon as it is made, while the server still knows what it did.
  using OnEnd = std::function<void(const ProgramEnd&)>;

  // The server must outlive it. `limit` of real time for one execution.
  ProgramSchedules(ProgramServer& server, uint64_t seed, std::chrono::milliseconds limit,
                   bool thread_leaks, OnEnd on_end);

  // Throws ServerError as ProgramServer::run does.
  exhaustive::ExecutedSchedule run(const exhaustive::Beginning& beginning) override;

 private:
  ProgramServer& server_;
  uint64_t seed_;
  std::chrono::milliseconds limit_;
  bool thread_leaks_;
  OnEnd on_end_;
};

}  // namespace esox
