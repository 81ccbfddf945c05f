// SPDX-License-Identifier: Apache-2.0
#include "harness/records/triage/families.h"

#include <map>
#include <tuple>

#include "harness/records/finding_file.h"
#include "harness/records/triage/diagnosis_facts.h"
#include "harness/records/triage/grouping.h"
#include "harness/records/triage/signature.h"

namespace esox {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> keys_in(const fs::path& findings, const std::string& id) {
  if (id.find('/') != std::string::npos) return {};  // of a damaged hunt.json
  const fs::path folder = findings / id;
  try {
    return family_keys(
        signature_of(read_finding(folder / "finding.yaml"), read_diagnosis_facts(folder)));
  } catch (const FindingError&) {
    return {};
  }
}

double rate_of(const HuntFinding& one) {
  if (one.executions == 0) return 0;
  return static_cast<double>(one.hits) / static_cast<double>(one.executions);
}

}  // namespace

void name_families(std::vector<HuntFinding>& report, const fs::path& findings) {
  std::vector<GroupMember> members;
  std::map<std::string, size_t> places;
  for (size_t i = 0; i < report.size(); ++i) {
    if (!places.emplace(report[i].id, i).second) continue;
    members.push_back({"", "", {"", report[i].id}, keys_in(findings, report[i].id)});
  }
  const Grouping grouping = group(std::move(members), {});
  for (const Group& group : grouping.groups) {
    const HuntFinding* first = nullptr;
    for (const size_t member : group.members) {
      const HuntFinding& one = report[places.at(grouping.order[member].key.id)];
      const bool before = first == nullptr ||
                          std::tuple(rate_of(*first), one.id) < std::tuple(rate_of(one), first->id);
      if (before) first = &one;
    }
    const std::string name = first->id;
    for (const size_t member : group.members) {
      report[places.at(grouping.order[member].key.id)].family = name;
    }
  }
}

}  // namespace esox
