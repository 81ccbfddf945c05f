// SPDX-License-Identifier: Apache-2.0
// A verification for people and for programs.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "harness/findings/replay/confidence.h"
#include "harness/findings/replay/verification.h"

namespace esox {
namespace {

using Json = nlohmann::ordered_json;

std::string replay_text(const FindingReplay& replay) {
  std::string text = result_name(replay.result);
  if (replay.result != ReplayResult::kToTheLetter && !replay.why.empty()) {
    text += fmt::format(" (to the letter: {})", replay.why);
  }
  return text;
}

double rate(const FindingSearch& search) {
  const auto judged = static_cast<double>(search.judged());
  return judged == 0 ? 0 : static_cast<double>(search.hits) / judged;
}

std::string hits_line(const char* name, const FindingSearch& search) {
  std::string line =
      fmt::format("  {}: {} of {} executions ({:.2g} %), with 95 % confidence at most {:.2g} %",
                  name, search.hits, search.judged(), 100 * rate(search),
                  100 * upper_bound_of_rate(search.hits, search.judged()));
  if (search.degraded > 0) line += fmt::format("; {} more could not be judged", search.degraded);
  return line + "\n";
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

std::string causes_text(const Verification& verification) {
  std::string text;
  for (const SeenCause& seen : verification.brought) {
    text += fmt::format("\nOnly on the new server, {} times (first by seed {}):\n{}", seen.hits,
                        seen.seed, indented(seen.text)) +
            indented(seen.explanation);
  }
  size_t shared = 0;
  for (const auto& [cause, seen] : verification.after.search.other) {
    shared += verification.before.search.other.contains(cause) ? 1 : 0;
  }
  if (shared > 0) {
    text += fmt::format("Other violations that both servers give: {}\n", shared);
  }
  return text;
}

Json side_json(const VerifiedSide& side) {
  const FindingSearch& search = side.search;
  Json json = {{"replay", result_name(side.replay.result)},
               {"replay_why", side.replay.why},
               {"executions", search.executions},
               {"degraded", search.degraded},
               {"hits", search.hits},
               {"rate", rate(search)},
               {"rate_upper_bound", upper_bound_of_rate(search.hits, search.judged())},
               {"other_violations", Json::array()}};
  if (side.replay.realigned) json["followed"] = followed_text(*side.replay.realigned);
  for (const auto& [cause, seen] : search.other) {
    json["other_violations"].push_back(
        {{"cause", seen.text}, {"hits", seen.hits}, {"seed", seen.seed}});
  }
  return json;
}

}  // namespace

std::string verification_text(const Verification& verification) {
  const VerifiedSide& before = verification.before;
  const VerifiedSide& after = verification.after;
  std::string text = "The finding's schedule\n";
  text +=
      fmt::format("  old: {}\n  new: {}\n", replay_text(before.replay), replay_text(after.replay));
  if (after.replay.realigned) {
    text += fmt::format("       {}\n", followed_text(*after.replay.realigned));
  }
  text += fmt::format("Hunts with equal seeds ({}, seed {})\n", verification.strategy,
                      verification.seed);
  text += hits_line("old", before.search) + hits_line("new", after.search);
  text += causes_text(verification);
  text +=
      fmt::format("\n{}: {}.\n", conclusion_name(verification.conclusion()), verification.reason());
  return text;
}

std::string verification_json(const Verification& verification, const Finding& finding) {
  Json json = {{"finding", finding.id},
               {"input", finding.input.input.id},
               {"engine", finding.input.engine},
               {"setting", finding.input.setting},
               {"conclusion", conclusion_name(verification.conclusion())},
               {"reason", verification.reason()},
               {"strategy", verification.strategy},
               {"seed", verification.seed},
               {"confidence", kConfidence},
               {"old", side_json(verification.before)},
               {"new", side_json(verification.after)},
               {"new_violations", Json::array()}};
  for (const SeenCause& seen : verification.brought) {
    json["new_violations"].push_back({{"cause", seen.text},
                                      {"hits", seen.hits},
                                      {"seed", seen.seed},
                                      {"explanation", seen.explanation}});
  }
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace esox
