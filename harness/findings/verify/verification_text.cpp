// SPDX-License-Identifier: Apache-2.0
// A verification for people and for programs.
#include <fmt/format.h>

#include "base/statistics/confidence.h"
#include "harness/findings/verify/verification.h"
#include "harness/records/json_text.h"
#include "harness/records/rate_text.h"

namespace esox {
namespace {

std::string replay_text(const FindingReplay& replay) {
  std::string text = result_name(replay.result);
  if (replay.result != ReplayResult::kToTheLetter && !replay.why.empty()) {
    text += fmt::format(" (to the letter: {})", replay.why);
  }
  return text;
}

std::string lost_text(const FindingSearch& search) {
  return search.degraded == 0 ? "" : fmt::format("; {} more could not be judged", search.degraded);
}

std::string systematic_text(const VerifiedSide& side) {
  const FindingSearch& search = side.systematic;
  if (search.executions == 0) return "none executed";
  if (search.hits > 0) return fmt::format("number {} gives it", search.first_hit);
  return fmt::format("none of {}{}{}", search.judged(),
                     side.complete ? ", which are all" : ", which are not all", lost_text(search));
}

std::string portfolio_text(const FindingSearch& search) {
  const std::string what = search.hits > 0
                               ? fmt::format("execution {} gave it", search.first_hit)
                               : fmt::format("none of {} executions gave it", search.judged());
  return what + lost_text(search);
}

std::string searches_text(const Verification& verification) {
  const VerifiedSide& before = verification.before;
  const VerifiedSide& after = verification.after;
  if (before.executions() + after.executions() == 0) return "";
  const auto draws = [&](const FindingSearch& search) {
    return draws_text(search.hits, search.judged(), verification.confidence) + lost_text(search);
  };
  return fmt::format(
      "Every schedule with one preemption\n  old: {}\n  new: {}\n"
      "Fresh draws ({}; seed {})\n  old: {}\n  new: {}\n"
      "The portfolio, which learns and varies the finding's schedule\n  new: {}\n",
      systematic_text(before), systematic_text(after), verification.mix, verification.seed,
      draws(before.draws), draws(after.draws), portfolio_text(after.portfolio));
}

std::string indented(const std::string& text) {
  std::string lines;
  for (size_t begin = 0; begin < text.size();) {
    const size_t end = std::min(text.find('\n', begin), text.size());
    lines += "    " + text.substr(begin, end - begin) + "\n";
    begin = end + 1;
  }
  return lines;
}

// The first execution on the new server that gave it.
const SeenCause* first_seen(const VerifiedSide& side) {
  for (const FindingSearch* search : {&side.systematic, &side.draws, &side.portfolio}) {
    if (search->first) return &*search->first;
  }
  return nullptr;
}

std::string causes_text(const Verification& verification) {
  std::string text;
  if (const SeenCause* seen = first_seen(verification.after)) {
    text +=
        "\nOn the new server it shows so:\n" + indented(seen->text) + indented(seen->explanation);
  }
  for (const SeenCause& seen : verification.brought) {
    text += fmt::format("\nOnly on the new server, {} times (first by seed {}):\n{}", seen.hits,
                        seen.seed, indented(seen.text)) +
            indented(seen.explanation);
  }
  for (const SeenCause& seen : verification.shared) {
    text += "\nOn both servers, and not like the finding:\n" + indented(seen.text);
  }
  return text;
}

OrderedJson search_json(const FindingSearch& search) {
  OrderedJson json = {{"executions", search.executions},
                      {"degraded", search.degraded},
                      {"hits", search.hits},
                      {"unconfirmed", search.unconfirmed}};
  if (search.hits > 0) json["first_hit"] = search.first_hit;
  return json;
}

OrderedJson draws_json(const FindingSearch& search, double confidence) {
  OrderedJson json = search_json(search);
  const RateInterval interval = interval_of_rate(search.hits, search.judged(), confidence);
  const auto judged = static_cast<double>(search.judged());
  json["rate"] = judged == 0 ? 0 : static_cast<double>(search.hits) / judged;
  json["rate_lower_bound"] = interval.low;
  json["rate_upper_bound"] =
      search.hits > 0 ? interval.high : upper_bound_of_rate(0, search.judged(), confidence);
  return json;
}

OrderedJson side_json(const VerifiedSide& side, double confidence) {
  OrderedJson json = {{"replay", result_name(side.replay.result)}, {"replay_why", side.replay.why}};
  if (side.replay.realigned) json["followed"] = followed_text(*side.replay.realigned);
  json["one_preemption"] = search_json(side.systematic);
  json["one_preemption"]["complete"] = side.complete;
  json["fresh_draws"] = draws_json(side.draws, confidence);
  json["portfolio"] = search_json(side.portfolio);
  return json;
}

OrderedJson causes_json(const std::vector<SeenCause>& causes) {
  return json_list(causes, [&](const SeenCause& seen) -> OrderedJson {
    return {{"cause", seen.text},
            {"hits", seen.hits},
            {"seed", seen.seed},
            {"explanation", seen.explanation}};
  });
}

}  // namespace

std::string verification_text(const Verification& verification) {
  const VerifiedSide& after = verification.after;
  std::string text;
  if (verification.played) {
    text += fmt::format("The finding's reproducer, without esox\n  new: {}\n",
                        rounds_text(*verification.played));
  }
  if (!verification.played || !verification.played->shows_the_finding()) {
    text += fmt::format("The finding's schedule\n  old: {}\n  new: {}\n",
                        replay_text(verification.before.replay), replay_text(after.replay));
  }
  if (after.replay.realigned) {
    text += fmt::format("       {}\n", followed_text(*after.replay.realigned));
  }
  text += searches_text(verification) + causes_text(verification);
  text +=
      fmt::format("\n{}: {}.\n", conclusion_name(verification.conclusion()), verification.reason());
  return text;
}

std::string verification_json(const Verification& verification, const Finding& finding) {
  const auto asked = [&](const VerifiedSide& side) {  // null: the reproducer had answered
    const bool answered = verification.played && verification.played->shows_the_finding();
    return answered ? OrderedJson() : side_json(side, verification.confidence);
  };
  OrderedJson json = {
      {"finding", finding.id},
      {"input", finding.input.input.id},
      {"engine", finding.input.engine},
      {"setting", finding.input.setting},
      {"conclusion", conclusion_name(verification.conclusion())},
      {"reason", verification.reason()},
      {"reproducer",
       verification.played ? OrderedJson::parse(to_json(*verification.played, 0)) : OrderedJson()},
      {"fresh_draws_by", verification.mix},
      {"seed", verification.seed},
      {"confidence", verification.confidence},
      {"old", asked(verification.before)},
      {"new", asked(verification.after)},
      {"new_violations", causes_json(verification.brought)},
      {"violations_of_both", causes_json(verification.shared)}};
  return json_text(json);
}

}  // namespace esox
