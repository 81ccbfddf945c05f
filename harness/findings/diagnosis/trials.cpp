// SPDX-License-Identifier: Apache-2.0
#include "harness/findings/diagnosis/trials.h"

#include <utility>

namespace esox {
namespace {

// By segment: was its thread replaced where it could have gone on?
std::vector<bool> replaced(const ExecutionRecord& record) {
  std::map<uint64_t, bool> could_go_on;  // by point
  for (const TraceEvent& event : record.trace) {
    const uint8_t how = event.flags & (kTraceSwitchedAway | kTraceDemoted);
    if (how == kTraceSwitchedAway) could_go_on[event.point] = true;
  }
  std::vector<bool> segments;
  for (size_t i = 1; i < record.choices.size(); ++i) {
    segments.push_back(could_go_on.contains(record.choices[i].point));
  }
  segments.push_back(false);
  return segments;
}

Schedule boundaries(const ExecutionRecord& record, const OwnPoints& own) {
  Schedule found;
  for (const TraceEvent& event : record.trace) {
    const bool boundary = event.kind == OpKind::kRequestBegin || event.kind == OpKind::kRequestEnd;
    if (boundary) found.push_back({event.thread, own.passed(event.thread, event.point)});
  }
  return found;
}

// Told by comparing what was seen with serial orders.
bool was_compared(VerdictClass verdict) {
  return verdict == VerdictClass::kSemantic || verdict == VerdictClass::kError ||
         verdict == VerdictClass::kLatent;
}

}  // namespace

Trials::Trials(Executor& executor, Exploration& exploration, const Finding& finding,
               const DiagnosisLimits& limits, const std::atomic<bool>& stop)
    : executor_(executor),
      exploration_(exploration),
      finding_(finding),
      limits_(limits),
      stop_(stop),
      values_(finding.values) {}

double Trials::seconds() const {
  return std::chrono::duration<double>(Clock::now() - started_).count();
}

bool Trials::spent() const {
  return stop_.load() || executions_ >= limits_.executions ||
         Clock::now() - started_ >= limits_.budget;
}

Judged Trials::execute(const ExecutionPlan& plan) {
  ++executions_;
  return exploration_.judge_report(executor_, executor_.run(plan));
}

Judged Trials::original() {
  Judged judged =
      execute(exploration_.plan_replay(finding_.choices, finding_.values, finding_.seed));
  if (judged.cause) cause_ = judged.cause->id;
  class_ = judged.verdict.verdict;
  return judged;
}

std::optional<Tried> Trials::operator()(const Schedule& schedule) {
  Key key;
  for (const Segment& segment : schedule) key.emplace_back(segment.thread, segment.until);
  const auto known = known_.find(key);
  if (known != known_.end()) return known->second;
  if (spent()) return std::nullopt;
  return known_.emplace(std::move(key), execute(schedule, values_)).first->second;
}

Tried Trials::execute(const Schedule& schedule, const std::vector<uint64_t>& values) {
  ExecutionPlan plan = exploration_.plan_replay(tape_of(schedule), values, finding_.seed);
  plan.strategy.kind = StrategyKind::kSegments;
  Tried tried = tried_of(execute(plan));
  tried.followed = equal_segments(completed(tried.schedule), completed(schedule));
  return tried;
}

std::optional<Tried> Trials::with_values(const Schedule& schedule,
                                         const std::vector<uint64_t>& values) {
  if (spent()) return std::nullopt;
  return execute(schedule, values);
}

void Trials::use_values(std::vector<uint64_t> values) {
  values_ = std::move(values);
  known_.clear();
}

std::optional<Judged> Trials::repeat(const Tried& tried) {
  if (spent()) return std::nullopt;
  return execute(exploration_.plan_replay(tried.choices, tried.values, finding_.seed));
}

Side Trials::side_of(const Judged& judged) const {
  if (judged.cause && judged.cause->id == cause_) return Side::kSame;
  const bool accepted = judged.verdict.verdict == VerdictClass::kNone &&
                        judged.report.record.degraded_reasons.empty();
  return accepted ? Side::kAccepted : Side::kOther;
}

bool Trials::breaks(const Judged& judged) const {
  const VerdictClass verdict = judged.verdict.verdict;
  return is_violation(verdict) &&
         (verdict == class_ || (was_compared(verdict) && was_compared(class_)));
}

Tried Trials::tried_of(const Judged& judged) const {
  const ExecutionRecord& record = judged.report.record;
  Tried tried;
  tried.side = side_of(judged);
  tried.breaks = breaks(judged);
  tried.finished = record.ending.kind == EndingKind::kFinished;
  tried.schedule = schedule_of(record.choices, tried.finished);
  tried.could_go_on = replaced(record);
  tried.request_boundaries = boundaries(record, OwnPoints(record.choices, judged.report.points));
  tried.choices = record.choices;
  tried.values = record.values;
  tried.points = judged.report.points;
  return tried;
}

}  // namespace esox
