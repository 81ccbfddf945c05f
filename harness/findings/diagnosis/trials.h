// SPDX-License-Identifier: Apache-2.0
// Executes schedules of one finding and says on which side each falls. Counts what it does and ends
// at its limits; the same schedule is executed once.
#pragma once

#include <atomic>
#include <chrono>
#include <map>
#include <optional>
#include <vector>

#include "analysis/finding.h"
#include "harness/engine/executor.h"
#include "harness/findings/diagnosis/attempt.h"
#include "harness/hunt/exploration.h"

namespace esox {

struct DiagnosisLimits {
  std::chrono::milliseconds budget{60'000};
  unsigned executions = 5'000;
};

class Trials {
 public:
  // All of them outlive this. `stop` ends it as a spent budget does.
  Trials(Executor& executor, Exploration& exploration, const Finding& finding,
         const DiagnosisLimits& limits, const std::atomic<bool>& stop);

  // The finding's own schedule, to the letter. The violation that it gives is the one looked for.
  Judged original();

  // Nothing once a limit is reached. original() comes before.
  std::optional<Tried> operator()(const Schedule& schedule);

  // The same with other values, and always anew.
  std::optional<Tried> with_values(const Schedule& schedule, const std::vector<uint64_t>& values);
  // From here on these are every schedule's; the finding's until then.
  void use_values(std::vector<uint64_t> values);

  // To the letter, and always anew; nothing once a limit is reached.
  std::optional<Judged> repeat(const Tried& tried);

  Side side_of(const Judged& judged) const;
  // No serial order explains it, and it ended as the finding did. In what it differs from the
  // nearest serial order may be another, for the nearest one is: with each schedule that is tried,
  // and with each serial order that has been executed for its sake.
  bool breaks(const Judged& judged) const;
  Tried tried_of(const Judged& judged) const;

  unsigned executions() const { return executions_; }
  double seconds() const;
  bool spent() const;

 private:
  using Clock = std::chrono::steady_clock;
  using Key = std::vector<std::pair<ThreadId, uint32_t>>;
  Judged execute(const ExecutionPlan& plan);
  Tried execute(const Schedule& schedule, const std::vector<uint64_t>& values);

  Executor& executor_;
  Exploration& exploration_;
  const Finding& finding_;
  const DiagnosisLimits limits_;
  const std::atomic<bool>& stop_;
  const Clock::time_point started_ = Clock::now();
  unsigned executions_ = 0;
  std::string cause_;  // id
  VerdictClass class_ = VerdictClass::kNone;
  std::vector<uint64_t> values_;
  std::map<Key, Tried> known_;
};

}  // namespace esox
