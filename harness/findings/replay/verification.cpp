// SPDX-License-Identifier: Apache-2.0
// See verification.h.
#include "harness/findings/replay/verification.h"

#include <fmt/format.h>

#include <utility>

#include "base/text/enum_names.h"
#include "harness/findings/replay/confidence.h"

namespace esox {
namespace {

using Clock = std::chrono::steady_clock;

class Work {
 public:
  Work(const AskedServer& before, const AskedServer& after, const Finding& finding,
       const SearchLimits& limits, const std::atomic<bool>& stop)
      : before_(before), after_(after), finding_(finding), limits_(limits), stop_(stop) {}

  Verification run() {
    if (!stop_.load()) result_.before.replay = replay_on(before_, finding_, std::nullopt, stop_);
    if (!stop_.load()) result_.after.replay = replay_on(after_, finding_, limits_.variants, stop_);
    const Clock::time_point start = Clock::now();
    for (uint64_t n = 1; n <= limits_.executions && !over(start); ++n) {
      search_on(before_, finding_, n, result_.before.search);
      search_on(after_, finding_, n, result_.after.search);
    }
    for (const auto& [cause, seen] : result_.after.search.other) {
      if (!result_.before.search.other.contains(cause) && !old_has(seen.finding)) {
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

  bool old_has(const Finding& finding) const {
    if (stop_.load()) return false;
    return replay_on(before_, finding, limits_.variants, stop_).result !=
           ReplayResult::kNotReproduced;
  }

  const AskedServer& before_;
  const AskedServer& after_;
  const Finding& finding_;
  const SearchLimits& limits_;
  const std::atomic<bool>& stop_;
  Verification result_;
};

}  // namespace

Conclusion Verification::conclusion() const {
  if (after.replay.result != ReplayResult::kNotReproduced || after.search.hits > 0) {
    return Conclusion::kStillThere;
  }
  if (!brought.empty()) return Conclusion::kNewViolations;
  if (stopped || before.search.hits < kLeastHits || after.search.judged() == 0)
    return Conclusion::kCannotTell;
  return Conclusion::kFixed;
}

std::string Verification::reason() const {
  const FindingSearch& there = after.search;
  const FindingSearch& here = before.search;
  switch (conclusion()) {
    case Conclusion::kStillThere:
      return there.hits > 0
                 ? fmt::format("the new server gave the violation in {} of {} executions",
                               there.hits, there.executions)
                 : "the finding's schedule gives the violation on the new server too";
    case Conclusion::kNewViolations:
      return fmt::format(
          "the violation is gone, but {} came that the old server does not give",
          brought.size() == 1 ? "another" : std::to_string(brought.size()) + " others");
    case Conclusion::kFixed:
      return fmt::format(
          "none in {} executions, where the old server gave {}; with 95 % confidence "
          "what remains comes in fewer than {:.2g} % of them",
          there.judged(), here.hits, 100 * upper_bound_of_rate(0, there.judged()));
    case Conclusion::kCannotTell:
      break;
  }
  if (stopped) return "esox was stopped";
  if (there.judged() == 0) return "no execution on the new server could be judged";
  if (here.hits == 0 && before.replay.result == ReplayResult::kNotReproduced) {
    return "the old server did not give the violation either; is it the one of the finding?";
  }
  return fmt::format(
      "the old server gave the violation in only {} of {} executions, so that none "
      "says little; give more --executions",
      here.hits, here.executions);
}

Verification verify(const AskedServer& before, const AskedServer& after, const Finding& finding,
                    const SearchLimits& limits, const std::atomic<bool>& stop) {
  return Work(before, after, finding, limits, stop).run();
}

const char* conclusion_name(Conclusion conclusion) {
  static constexpr const char* kNames[] = {"fixed", "still there", "new violations", "cannot tell"};
  return name_in(kNames, conclusion);
}

}  // namespace esox
