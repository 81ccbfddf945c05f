// SPDX-License-Identifier: Apache-2.0
// A verification for people and for programs.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "harness/findings/replay/confidence.h"
#include "harness/findings/replay/verification.h"

namespace esox {
namespace {

using Json = nlohmann::ordered_json;

std::string replay_text(const VerifiedSide& side) {
  std::string text = result_name(side.replay);
  if (side.replay != ReplayResult::kToTheLetter && !side.replay_why.empty()) {
    text += fmt::format(" (to the letter: {})", side.replay_why);
  }
  return text;
}

uint64_t judged(const VerifiedSide& side) {
  return side.executions - side.degraded;
}

double rate(const VerifiedSide& side) {
  return judged(side) == 0 ? 0 : static_cast<double>(side.hits) / static_cast<double>(judged(side));
}

std::string hits_line(const char* name, const VerifiedSide& side) {
  std::string line =
      fmt::format("  {}: {} of {} executions ({:.2g} %), with 95 % confidence at most {:.2g} %",
                  name, side.hits, judged(side), 100 * rate(side),
                  100 * upper_bound_of_rate(side.hits, judged(side)));
  if (side.degraded > 0) line += fmt::format("; {} more could not be judged", side.degraded);
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
  for (const auto& [cause, seen] : verification.after.other) {
    shared += verification.before.other.contains(cause) ? 1 : 0;
  }
  if (shared > 0) {
    text += fmt::format("Other violations that both servers give: {}\n", shared);
  }
  return text;
}

Json side_json(const VerifiedSide& side) {
  Json json = {{"replay", result_name(side.replay)},
               {"replay_why", side.replay_why},
               {"executions", side.executions},
               {"degraded", side.degraded},
               {"hits", side.hits},
               {"rate", rate(side)},
               {"rate_upper_bound", upper_bound_of_rate(side.hits, judged(side))},
               {"other_violations", Json::array()}};
  if (side.realigned) json["followed"] = followed_text(*side.realigned);
  for (const auto& [cause, seen] : side.other) {
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
  text += fmt::format("  old: {}\n  new: {}\n", replay_text(before), replay_text(after));
  if (after.realigned) text += fmt::format("       {}\n", followed_text(*after.realigned));
  text += fmt::format("Hunts with equal seeds ({}, seed {})\n", verification.strategy,
                      verification.seed);
  text += hits_line("old", before) + hits_line("new", after);
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
