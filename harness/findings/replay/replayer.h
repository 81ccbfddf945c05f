// SPDX-License-Identifier: Apache-2.0
// Replays of one finding: to the letter first, by the recorded choices, and where that gives
// another outcome, re-aligned (realignment.h). A schedule that was found so is used again for the
// next replay. "The same violation" is one of the same class and cause (breaks_alike(), family.h),
// judged on this server as a hunt judges, unless the caller says otherwise.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "analysis/finding.h"
#include "harness/engine/executor.h"
#include "harness/findings/replay/realignment.h"
#include "harness/hunt/exploration.h"

namespace esox {

enum class ReplayResult {
  kToTheLetter,   // the recorded choices gave the recorded outcome
  kRealigned,     // another schedule gave the same violation
  kNotReproduced  // neither
};

const char* result_name(ReplayResult result);  // "to the letter", ...

struct ReplayAttempt {
  ReplayResult result = ReplayResult::kNotReproduced;
  std::string why;  // by the letter it was not the same
  uint32_t diverged = 0;
  std::vector<std::string> degraded_reasons;
  unsigned executions = 0;
  Judged judged;  // of the telling execution: the same violation, else that by the letter
};

// Of a re-aligned schedule, unless somebody says otherwise.
inline constexpr size_t kVariants = 100;

class Replayer {
 public:
  // All of them outlive this. `variants`: of the re-aligned schedule, tried once at most; nothing:
  // to the letter only. `same`: whether an execution broke as the finding does.
  using Sameness = std::function<bool(const Judged&)>;
  Replayer(Executor& executor, Exploration& exploration, const Finding& finding,
           std::optional<size_t> variants, const std::atomic<bool>& stop, Sameness same = {});

  ReplayAttempt once();

  // Of the first replay that did not go by the letter.
  const std::optional<Realigned>& realigned() const { return realigned_; }

 private:
  ExecutionPlan letter() const;
  Judged judge(ExecutionReport report);
  std::optional<Executed> execute(const Schedule& schedule);
  void realign_into(ReplayAttempt& attempt);
  Symbols& symbols_of(const ExecutionRecord& record);

  Executor& executor_;
  Exploration& exploration_;
  const Finding& finding_;
  const std::optional<size_t> variants_;
  const std::atomic<bool>& stop_;
  const Sameness same_;
  unsigned executions_ = 0;
  std::optional<Realigned> realigned_;
  // Reading a server's symbols takes much longer than an execution; most of these are forks of one.
  std::unique_ptr<Symbols> symbols_;
  std::vector<Module> symbols_modules_;
  std::optional<Judged> last_;  // of the execution that broke in the same way
};

// "followed 3 of 4 switches to the letter; re-aligned 1; ..."
std::string followed_text(const Realigned& realigned);

}  // namespace esox
