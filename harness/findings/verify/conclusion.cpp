// SPDX-License-Identifier: Apache-2.0
// What a verification comes to, and why. See verification.h.
#include <fmt/format.h>

#include <cmath>
#include <optional>

#include "base/statistics/confidence.h"
#include "base/text/counted.h"
#include "base/text/enum_names.h"
#include "harness/findings/verify/verification.h"

namespace esox {
namespace {

bool replayed(const VerifiedSide& side) {
  return side.replay.result != ReplayResult::kNotReproduced;
}

bool is_there(const VerifiedSide& side) {
  return replayed(side) || side.hits() > 0;
}

bool half_lost(const VerifiedSide& side) {
  return side.degraded() * 2 >= side.executions() && side.degraded() > 0;
}

bool is_shown(const std::optional<PlayedRounds>& played) {
  return played && played->shows_the_finding();
}

std::string where_it_was_seen(const VerifiedSide& side) {
  if (replayed(side)) return "the finding's schedule gives it there too";
  if (side.systematic.hits > 0) {
    return fmt::format("schedule {} of those with one preemption gives it there",
                       side.systematic.first_hit);
  }
  if (side.draws.hits > 0) return fmt::format("fresh draw {} gave it there", side.draws.first_hit);
  return fmt::format("execution {} by the portfolio gave it there", side.portfolio.first_hit);
}

// Of those that are left over, the first.
std::string first_line(const std::vector<SeenCause>& causes) {
  const std::string& text = causes.front().text;
  std::string line;
  for (const char c : text) line += c == '\n' ? std::string("; ") : std::string(1, c);
  return line;
}

// The argument for "fixed", if there is one.
std::optional<std::string> argument_for(const Verification& it) {
  const VerifiedSide& old = it.before;
  const VerifiedSide& now = it.after;
  const double rarer = it.rate().times_rarer(now.draws.judged());
  const std::string all_schedules =
      now.complete
          ? fmt::format(" and in all {} schedules with one preemption", now.systematic.executions)
          : "";
  if (old.draws.hits > 0 && rarer >= it.times_rarer_wanted()) {
    const std::string how_rare =
        rarer >= 2 ? fmt::format("{:.0f} times rarer than", std::floor(rarer)) : "as frequent as";
    return fmt::format(
        "none in {} fresh draws{}; were it {} on the old server, where {} of {} gave it, they "
        "would have shown it with {:.4g} % confidence",
        now.draws.judged(), all_schedules, how_rare, old.draws.hits, old.draws.judged(),
        100 * it.confidence);
  }
  const bool enough =
      now.draws.judged() >= it.least_draws && now.portfolio.judged() >= it.least_draws;
  if (now.complete && old.systematic.hits > 0 && enough) {
    return fmt::format(
        "every schedule with one preemption was executed, {} of them, and none gives it, where the "
        "old server's number {} does; and none in {} fresh draws",
        now.systematic.executions, old.systematic.first_hit, now.draws.judged());
  }
  return std::nullopt;
}

std::string why_not_told(const Verification& it) {
  const VerifiedSide& now = it.after;
  if (it.stopped) return "esox was stopped";
  if (!it.refused.empty()) return "the new server refuses a request: " + it.refused;
  if (now.unconfirmed() > 0) {
    return fmt::format("it was seen on the new server in {}, but no replay gave it again",
                       counted(now.unconfirmed(), "execution"));
  }
  if (const std::string lost = it.lost_control(); !lost.empty()) return lost;
  if (!it.shared.empty()) {
    return fmt::format(
        "it did not come, but the input still breaks in another way in which it broke before, "
        "which may be another face of the same bug ({}); verify that one, or minimise this finding "
        "first",
        first_line(it.shared));
  }
  if (!it.old_gives_it()) {
    return "the old server did not give the violation either; is it the one of the finding?";
  }
  return fmt::format(
      "it did not come, but comes too rarely on the old server to tell by that ({} of {} fresh "
      "draws, none in {} on the new server); give more --budget",
      it.before.draws.hits, it.before.draws.judged(), now.draws.judged());
}

}  // namespace

RateArgument Verification::rate() const {
  return {{before.draws.judged(), before.draws.hits}, confidence};
}

bool Verification::old_gives_it() const {
  return is_there(before);
}

std::string Verification::lost_control() const {
  for (const VerifiedSide* side : {&before, &after}) {
    if (!half_lost(*side)) continue;
    return fmt::format("{} of {} executions on the {} server could not be judged", side->degraded(),
                       side->executions(), side == &before ? "old" : "new");
  }
  const double now = interval_of_rate(after.degraded(), after.executions(), confidence).low;
  const double then = interval_of_rate(before.degraded(), before.executions(), confidence).high;
  if (now <= then) return "";
  return fmt::format(
      "{} of {} executions on the new server could not be judged, more than on the old one, and "
      "may be just those that show it",
      after.degraded(), after.executions());
}

Conclusion Verification::conclusion() const {
  if (is_shown(played) || is_there(after)) return Conclusion::kStillThere;
  if (!brought.empty()) return Conclusion::kNewViolations;
  const bool clear = !stopped && refused.empty() && after.unconfirmed() == 0 && shared.empty() &&
                     old_gives_it() && lost_control().empty();
  return clear && argument_for(*this) ? Conclusion::kFixed : Conclusion::kCannotTell;
}

std::string Verification::reason() const {
  switch (conclusion()) {
    case Conclusion::kStillThere:
      return is_shown(played) ? "its reproducer shows it there, without esox"
                              : where_it_was_seen(after);
    case Conclusion::kNewViolations:
      return fmt::format(
          "the violation did not come, but {} did that the old server does not give",
          brought.size() == 1 ? "another" : std::to_string(brought.size()) + " others");
    case Conclusion::kFixed:
      return *argument_for(*this);
    case Conclusion::kCannotTell:
      break;
  }
  return why_not_told(*this);
}

const char* conclusion_name(Conclusion conclusion) {
  static constexpr const char* kNames[] = {"fixed", "still there", "new violations", "cannot tell"};
  return name_in(kNames, conclusion);
}

}  // namespace esox
