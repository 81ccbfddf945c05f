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
#include <vector>

#include "analysis/finding.h"

namespace esox {

struct LeftoverFinding {
  Finding finding;
  std::filesystem::path folder;
};

class LeftoverFindings {
 public:
  // All of a folder but those with these ids. Folders that were not finished are removed. Throws
  // FindingError for one that cannot be read.
  void look(const std::filesystem::path& findings, const std::set<std::string>& known);

  // The one with this id is met again: it is none any more.
  std::optional<std::filesystem::path> take(const std::string& id);
  // Those of this input that should have come by its `last` execution.
  std::vector<LeftoverFinding> take_missed(const ConcreteInput& input, uint64_t last);

 private:
  std::mutex mutex_;
  std::map<std::string, LeftoverFinding> by_id_;
};

}  // namespace esox
