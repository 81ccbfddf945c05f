// SPDX-License-Identifier: Apache-2.0
#include "harness/findings/replay/replayer.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/text/enum_names.h"
#include "harness/engine/debug_symbols.h"
#include "harness/findings/replay/family.h"
#include "harness/records/affected.h"

namespace esox {

const char* result_name(ReplayResult result) {
  static constexpr const char* kNames[] = {"to the letter", "re-aligned", kReplayFailed};
  return name_in(kNames, result);
}

std::string followed_text(const Realigned& realigned) {
  const Followed& followed = realigned.followed;
  std::string text = fmt::format("followed {} of {} switches to the letter", followed.to_the_letter,
                                 followed.switches);
  if (followed.moved > 0) {
    text += fmt::format("; {} at the same operation, which has another number now", followed.moved);
  }
  if (followed.lost > 0) {
    text += fmt::format("; {} nearby, for the operation is not there or was not recorded",
                        followed.lost);
  }
  if (followed.places > 0) {
    text +=
        fmt::format("; the server does {} operations more and {} fewer before them, at {} places",
                    followed.added, followed.missing, followed.places);
  }
  if (realigned.varied > 0) {
    text += fmt::format("; variant {} of its neighbourhood gave it", realigned.varied);
  } else if (!realigned.found) {
    text += fmt::format("; {} variants of its neighbourhood did not give it", realigned.variants);
  }
  if (!realigned.whole) text += "; stopped before all were looked for";
  return text;
}

Replayer::Replayer(Executor& executor, Exploration& exploration, const Finding& finding,
                   std::optional<size_t> variants, const std::atomic<bool>& stop, Sameness same)
    : executor_(executor),
      exploration_(exploration),
      finding_(finding),
      variants_(variants),
      stop_(stop),
      same_(same ? std::move(same)
                 : [this](const Judged& judged) { return breaks_alike(judged, finding_); }) {
  exploration_.add_known_masks(finding.masks);
}

ExecutionPlan Replayer::letter() const {
  ExecutionPlan plan = exploration_.plan_replay(finding_.choices, finding_.values, finding_.seed);
  plan.number = finding_.first_execution;
  plan.strategy_text = finding_.strategy + " (replayed)";
  return plan;
}

Judged Replayer::judge(ExecutionReport report) {
  exploration_.prepare(executor_);
  return exploration_.judge_report(executor_, std::move(report));
}

ReplayAttempt Replayer::once() {
  ReplayAttempt attempt;
  const unsigned before = executions_;
  if (!realigned_ || !realigned_->found) {
    ExecutionReport report = executor_.run(letter());
    ++executions_;
    const ReplayMatch match = match_replay(report.record, finding_, exploration_.rules());
    attempt.why = match.why;
    attempt.diverged = report.diverged;
    // An outcome that came by other choices is good enough only where no others are to be tried.
    const bool letter = match.same && (report.diverged == 0 || !variants_);
    attempt.result = letter ? ReplayResult::kToTheLetter : ReplayResult::kNotReproduced;
    if (match.same && !letter) {
      attempt.why = fmt::format("{} choices could not be followed", report.diverged);
    }
    attempt.degraded_reasons = report.record.degraded_reasons;
    attempt.judged.report = std::move(report);
  }
  if (attempt.result == ReplayResult::kNotReproduced && variants_ && !stop_.load()) {
    realign_into(attempt);
  }
  attempt.executions = executions_ - before;
  return attempt;
}

Symbols& Replayer::symbols_of(const ExecutionRecord& record) {
  const auto equal = [](const Module& a, const Module& b) {
    return a.begin == b.begin && a.end == b.end && a.load_base == b.load_base && a.path == b.path;
  };
  const std::vector<Module>& modules = record.modules;
  if (!symbols_ || !std::ranges::equal(modules, symbols_modules_, equal)) {
    symbols_ = std::make_unique<Symbols>(debug_symbols(modules));
    symbols_modules_ = modules;
  }
  return *symbols_;
}

std::optional<Executed> Replayer::execute(const Schedule& schedule) {
  if (stop_.load()) return std::nullopt;
  ExecutionPlan plan = exploration_.plan_replay(tape_of(schedule), finding_.values, finding_.seed);
  plan.strategy.kind = StrategyKind::kSegments;
  plan.number = finding_.first_execution;
  plan.strategy_text = finding_.strategy + " (re-aligned)";
  ++executions_;
  Judged judged = judge(executor_.run(plan));
  const ExecutionRecord& record = judged.report.record;
  Executed executed{same_(judged), operations_of(record, symbols_of(record), /*whole=*/true),
                    record.choices, record.values};
  if (executed.same) last_ = std::move(judged);
  return executed;
}

// Once by a search; from then on, what it found is replayed to the letter.
void Replayer::realign_into(ReplayAttempt& attempt) {
  if (!realigned_) {
    realigned_ =
        realign(schedule_of(finding_.choices), finding_.operations, *variants_, finding_.seed,
                [this](const Schedule& schedule) { return execute(schedule); });
    if (!realigned_->found) return;
    attempt.result = ReplayResult::kRealigned;
    attempt.judged = std::move(*last_);
    return;
  }
  if (!realigned_->found) return;
  const Executed& found = *realigned_->found;
  ++executions_;
  ExecutionPlan plan = exploration_.plan_replay(found.choices, found.values, finding_.seed);
  plan.number = finding_.first_execution;
  plan.strategy_text = finding_.strategy + " (re-aligned)";
  attempt.judged = judge(executor_.run(plan));
  attempt.diverged = attempt.judged.report.diverged;
  attempt.degraded_reasons = attempt.judged.report.record.degraded_reasons;
  if (same_(attempt.judged)) {
    attempt.result = ReplayResult::kRealigned;
  } else {
    attempt.why = "the re-aligned schedule gave it before, but not now";
  }
}

}  // namespace esox
