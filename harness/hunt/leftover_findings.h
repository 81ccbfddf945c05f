// SPDX-License-Identifier: Apache-2.0
// Findings on disk that a hunt's memory (hunt_state.h) does not know: those of a batch that was
// under way when the hunt was killed. The batch is executed again and gives them again; one that
// does not come again is not lost for that, but taken as it is.
//
// Locks itself; used by all workers.
#pragma once

#include <filesystem>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <system_error>
#include <vector>

#include "analysis/finding.h"
#include "harness/records/finding_file.h"

namespace esox {

struct LeftoverFinding {
  Finding finding;
  std::filesystem::path folder;
};

class LeftoverFindings {
 public:
  // All of a folder but those with these ids. Folders that were not finished are removed. Throws
  // FindingError for one that cannot be read.
  void look(const std::filesystem::path& findings, const std::set<std::string>& known) {
    std::error_code error;
    std::vector<std::filesystem::path> unfinished;
    for (const auto& entry : std::filesystem::directory_iterator(findings, error)) {
      const std::string name = entry.path().filename();
      if (name.starts_with('.') && name.ends_with(".new")) unfinished.push_back(entry.path());
      if (name.starts_with('.') || known.contains(name)) continue;
      if (!std::filesystem::exists(entry.path() / "finding.yaml", error)) continue;
      by_id_[name] = {read_finding(entry.path() / "finding.yaml"), entry.path()};
    }
    for (const auto& folder : unfinished) std::filesystem::remove_all(folder, error);
  }

  // The one with this id is met again: it is none any more.
  std::optional<std::filesystem::path> take(const std::string& id) {
    const std::lock_guard lock(mutex_);
    const auto found = by_id_.find(id);
    if (found == by_id_.end()) return std::nullopt;
    std::filesystem::path folder = std::move(found->second.folder);
    by_id_.erase(found);
    return folder;
  }

  // Those of this input that should have come by its `last` execution.
  std::vector<LeftoverFinding> take_missed(const ConcreteInput& input, uint64_t last) {
    const std::lock_guard lock(mutex_);
    std::vector<LeftoverFinding> missed;
    for (auto one = by_id_.begin(); one != by_id_.end();) {
      const Finding& finding = one->second.finding;
      const bool its = key_of(finding.input) == key_of(input) && finding.first_execution <= last;
      if (its) missed.push_back(std::move(one->second));
      one = its ? by_id_.erase(one) : std::next(one);
    }
    return missed;
  }

 private:
  std::mutex mutex_;
  std::map<std::string, LeftoverFinding> by_id_;
};

}  // namespace esox
