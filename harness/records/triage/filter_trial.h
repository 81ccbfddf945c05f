// SPDX-License-Identifier: Apache-2.0
// What would rules hide of findings that are there?
//
// A finding holds the execution's outcome and that of each serial order, so it is judged again
// without a server. What was not kept cannot be judged: an order that a rule would tolerate but
// that was not executed then, elements beyond those listed.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "analysis/finding.h"
#include "analysis/verdict.h"
#include "filters/rule.h"

namespace esox {

enum class TrialFate { kHidden, kStays, kUnknown };

struct TriedFinding {
  Finding finding;
  TrialFate fate = TrialFate::kStays;
  std::string why;  // of kUnknown
  std::vector<ForgivenPlace> forgiven;
};

TriedFinding try_rules(Finding finding, const std::shared_ptr<const RuleSet>& rules);

// The files of a finding.yaml, its folder, a hunt's folder, or the folder of its findings; none if
// there is no finding in a folder.
std::vector<std::filesystem::path> finding_files_at(const std::filesystem::path& path);
// Of the findings in this folder, in the order of their names.
std::vector<std::filesystem::path> finding_files_below(const std::filesystem::path& folder);

}  // namespace esox
