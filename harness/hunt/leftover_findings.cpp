// SPDX-License-Identifier: Apache-2.0
// See leftover_findings.h.
#include "harness/hunt/leftover_findings.h"

#include <system_error>

#include "harness/records/finding_file.h"

namespace esox {

namespace fs = std::filesystem;

void LeftoverFindings::look(const fs::path& findings, const std::set<std::string>& known) {
  std::error_code error;
  std::vector<fs::path> unfinished;
  for (const auto& entry : fs::directory_iterator(findings, error)) {
    const std::string name = entry.path().filename();
    if (name.starts_with('.') && name.ends_with(".new")) unfinished.push_back(entry.path());
    if (name.starts_with('.') || known.contains(name)) continue;
    if (!fs::exists(entry.path() / "finding.yaml", error)) continue;
    by_id_[name] = {read_finding(entry.path() / "finding.yaml"), entry.path()};
  }
  for (const fs::path& folder : unfinished) fs::remove_all(folder, error);
}

std::optional<fs::path> LeftoverFindings::take(const std::string& id) {
  const std::lock_guard lock(mutex_);
  const auto found = by_id_.find(id);
  if (found == by_id_.end()) return std::nullopt;
  fs::path folder = std::move(found->second.folder);
  by_id_.erase(found);
  return folder;
}

std::vector<LeftoverFinding> LeftoverFindings::take_missed(const ConcreteInput& input,
                                                           uint64_t last) {
  const std::lock_guard lock(mutex_);
  std::vector<LeftoverFinding> missed;
  for (auto one = by_id_.begin(); one != by_id_.end();) {
    const Finding& finding = one->second.finding;
    const bool its = finding.input.input.id == input.input.id &&
                     finding.input.engine == input.engine &&
                     finding.input.setting == input.setting && finding.first_execution <= last;
    if (its) missed.push_back(std::move(one->second));
    one = its ? by_id_.erase(one) : std::next(one);
  }
  return missed;
}

}  // namespace esox
