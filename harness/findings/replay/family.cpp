// SPDX-License-Identifier: Apache-2.0
#include "harness/findings/replay/family.h"

#include <algorithm>
#include <array>
#include <optional>

#include "harness/records/lines.h"

namespace esox {
namespace {

// Facts that any two violations of one class, or of one input, have in common; or that say again
// what another line says.
constexpr std::array<const char*, 6> kCommon = {"class ",  "signal ", "statements ",
                                                "server ", "mainly ", "damage "};

// Where and in which direction it differs.
std::set<std::string> places_of(const Signature& signature) {
  std::set<std::string> places;
  for (const std::string& line : lines_of(signature.text)) {
    const bool common =
        std::ranges::any_of(kCommon, [&](const char* head) { return line.starts_with(head); });
    if (!common) places.insert(line);
  }
  return places;
}

}  // namespace

Family::Family(const Finding& finding) {
  finding_.input = finding.input;
  finding_.verdict = finding.verdict;
  finding_.cause = cause_across_builds(finding.cause);
  signature_ = signature_of(finding_, std::nullopt);
  places_ = places_of(signature_);
}

bool Family::has(const Judged& judged) {
  if (!judged.cause) return false;
  const std::string cause = cause_across_builds(judged.cause->text);
  const auto [known, fresh] = known_.try_emplace(cause, false);
  if (fresh) known->second = is_alike(cause);
  return known->second;
}

bool Family::is_alike(const std::string& cause) {
  Finding other;
  other.input = finding_.input;
  other.cause = cause;
  const Signature signature = signature_of(other, std::nullopt);
  if (cause == finding_.cause || same_family(signature, signature_)) return true;
  const std::set<std::string> places = places_of(signature);
  return std::ranges::any_of(places,
                             [&](const std::string& place) { return places_.contains(place); });
}

bool breaks_alike(const Judged& judged, const Finding& finding) {
  return judged.cause && judged.verdict.verdict == finding.verdict &&
         cause_across_builds(judged.cause->text) == cause_across_builds(finding.cause);
}

std::string cause_across_builds(const std::string& cause) {
  std::string text;
  for (size_t i = 0; i < cause.size();) {
    const bool offset = cause.compare(i, 3, "+0x") == 0;
    const bool source = cause.compare(i, 2, " (") == 0;
    if (offset) {
      i = cause.find_first_not_of("0123456789abcdef", i + 3);
    } else if (source) {
      i = cause.find_first_of(")\n", i);
      if (i != std::string::npos && cause[i] == ')') ++i;
    } else {
      text += cause[i++];
    }
    if (i == std::string::npos) break;
  }
  while (text.ends_with('\n')) text.pop_back();
  return text;
}

}  // namespace esox
