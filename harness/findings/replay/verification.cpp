// SPDX-License-Identifier: Apache-2.0
// See verification.h.
#include "harness/findings/replay/verification.h"

#include <fmt/format.h>

#include <utility>

#include "analysis/report/comparison_text.h"
#include "base/text/enum_names.h"
#include "harness/engine/debug_symbols.h"
#include "harness/findings/replay/confidence.h"

namespace esox {
namespace {

using Clock = std::chrono::steady_clock;

class Work {
 public:
  Work(const VerifiedServer& before, const VerifiedServer& after, const Finding& finding,
       const VerificationLimits& limits, const std::atomic<bool>& stop)
      : before_(before), after_(after), finding_(finding), limits_(limits), stop_(stop) {}

  Verification run() {
    Replayer old_replayer(before_.executor, before_.exploration, finding_, std::nullopt, stop_);
    Replayer new_replayer(after_.executor, after_.exploration, finding_, limits_.variants, stop_);
    replay(old_replayer, result_.before);
    replay(new_replayer, result_.after);
    const Clock::time_point start = Clock::now();
    for (uint64_t n = 1; n <= limits_.executions && !over(start); ++n) {
      explore(before_, old_replayer, result_.before, n);
      explore(after_, new_replayer, result_.after, n);
    }
    for (const auto& [cause, seen] : result_.after.other) {
      if (!result_.before.other.contains(cause) && !old_has(cause)) {
        result_.brought.push_back(seen);
      }
    }
    result_.stopped = stop_.load();
    return std::move(result_);
  }

 private:
  bool over(Clock::time_point start) const {
    return stop_.load() || (limits_.budget && Clock::now() - start >= *limits_.budget);
  }

  void replay(Replayer& replayer, VerifiedSide& side) {
    if (stop_.load()) return;
    const ReplayAttempt attempt = replayer.once();
    side.replay = attempt.result;
    side.replay_why = attempt.why;
    side.realigned = replayer.realigned();
  }

  void explore(const VerifiedServer& server, const Replayer& replayer, VerifiedSide& side,
               uint64_t number) {
    const Judged judged = server.exploration.explore(server.executor, number);
    ++side.executions;
    side.degraded += judged.verdict.verdict == VerdictClass::kDegraded ? 1 : 0;
    if (!judged.confirmed || !judged.cause) return;
    if (replayer.same_violation(judged)) {
      ++side.hits;
      return;
    }
    const std::string cause = cause_across_builds(judged.cause->text);
    SeenCause& seen = side.other[cause];
    if (seen.hits++ > 0) return;
    const ExecutionRecord& record = judged.report.record;
    Symbols symbols = debug_symbols(record.modules);
    seen.text = cause;
    seen.seed = record.seed;
    seen.explanation = comparison_text(server.exploration.input(), record, judged.verdict,
                                       server.exploration.masks(), symbols);
    if (&side == &result_.after) keep(cause, judged, symbols);
  }

  // To be looked for on the old server.
  void keep(const std::string& cause, const Judged& judged, Symbols& symbols) {
    const Exploration& exploration = after_.exploration;
    const ExecutionRecord& record = judged.report.record;
    Finding finding =
        make_finding(exploration.input(), record, judged.verdict, exploration.serial_runs(),
                     exploration.masks(), *judged.cause, exploration.rules());
    finding.operations = operations_of(record, symbols);
    new_.emplace(cause, std::move(finding));
  }

  bool old_has(const std::string& cause) {
    if (stop_.load()) return false;
    Replayer replayer(before_.executor, before_.exploration, new_.at(cause), limits_.variants,
                      stop_);
    return replayer.once().result != ReplayResult::kNotReproduced;
  }

  const VerifiedServer& before_;
  const VerifiedServer& after_;
  const Finding& finding_;
  const VerificationLimits& limits_;
  const std::atomic<bool>& stop_;
  std::map<std::string, Finding> new_;  // by cause: what the new server gave
  Verification result_;
};

}  // namespace

Conclusion Verification::conclusion() const {
  if (after.replay != ReplayResult::kNotReproduced || after.hits > 0) {
    return Conclusion::kStillThere;
  }
  if (!brought.empty()) return Conclusion::kNewViolations;
  const bool judged = after.executions > after.degraded;
  if (stopped || before.hits < kLeastHits || !judged) return Conclusion::kCannotTell;
  return Conclusion::kFixed;
}

std::string Verification::reason() const {
  switch (conclusion()) {
    case Conclusion::kStillThere:
      return after.hits > 0
                 ? fmt::format("the new server gave the violation in {} of {} executions",
                               after.hits, after.executions)
                 : "the finding's schedule gives the violation on the new server too";
    case Conclusion::kNewViolations:
      return fmt::format(
          "the violation is gone, but {} came that the old server does not give",
          brought.size() == 1 ? "another" : std::to_string(brought.size()) + " others");
    case Conclusion::kFixed:
      return fmt::format(
          "none in {} executions, where the old server gave {}; with 95 % confidence "
          "what remains comes in fewer than {:.2g} % of them",
          after.executions - after.degraded, before.hits,
          100 * upper_bound_of_rate(0, after.executions - after.degraded));
    case Conclusion::kCannotTell:
      break;
  }
  if (stopped) return "esox was stopped";
  if (after.executions == after.degraded) return "no execution on the new server could be judged";
  if (before.hits == 0 && before.replay == ReplayResult::kNotReproduced) {
    return "the old server did not give the violation either; is it the one of the finding?";
  }
  return fmt::format(
      "the old server gave the violation in only {} of {} executions, so that none "
      "says little; give more --executions",
      before.hits, before.executions);
}

Verification verify(const VerifiedServer& before, const VerifiedServer& after,
                    const Finding& finding, const VerificationLimits& limits,
                    const std::atomic<bool>& stop) {
  return Work(before, after, finding, limits, stop).run();
}

const char* conclusion_name(Conclusion conclusion) {
  static constexpr const char* kNames[] = {"fixed", "still there", "new violations", "cannot tell"};
  return name_in(kNames, conclusion);
}

}  // namespace esox
