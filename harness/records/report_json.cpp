// SPDX-License-Identifier: Apache-2.0
// See report.h; hunt.json is read by harness/records/reports/hunt_reader.cpp.
#include <algorithm>
#include <map>

#include "harness/records/report.h"

namespace esox {

uint64_t HuntReport::unconfirmed_hits() const {
  uint64_t hits = 0;
  for (const UnconfirmedViolation& violation : unconfirmed) hits += violation.hits;
  return hits;
}

CoverageFigures HuntReport::coverage() const {
  CoverageFigures sum;
  for (const InputFigures& one : figures) add_fields(sum, one.coverage);
  if (kinds.empty()) return sum;  // of an older hunt
  const Meetings met = meetings_of(kinds);
  sum.pairs = met.pairs();
  sum.pairs_both_ways = met.pairs_both_ways();
  return sum;
}

std::vector<FamilyMembers> families_of(const std::vector<HuntFinding>& findings) {
  std::vector<FamilyMembers> families;
  std::map<std::string, size_t> known;
  for (size_t i = 0; i < findings.size(); ++i) {
    const HuntFinding& one = findings[i];
    const std::string name = one.family.empty() ? one.id : one.family;
    const auto [place, fresh] = known.emplace(name, families.size());
    if (fresh) families.emplace_back();
    FamilyMembers& family = families[place->second];
    family.insert(one.id == name ? family.begin() : family.end(), i);
  }
  const auto needs_none = [&](const FamilyMembers& family) {
    return std::ranges::any_of(family,
                               [&](size_t member) { return findings[member].choices.empty(); });
  };
  std::stable_partition(families.begin(), families.end(), needs_none);
  return families;
}

std::string report_json(const HuntReport& report) {
  return to_json(report, 2);
}

}  // namespace esox
