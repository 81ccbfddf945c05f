// SPDX-License-Identifier: Apache-2.0
// See replayed_logs.h.
#include "harness/engine/replayed_logs.h"

namespace esox {

const ReplayedLog* ReplayedLogs::find(const Input& input, const Key& key) {
  if (!(input == input_)) {
    logs_.clear();
    input_ = input;
  }
  const auto found = logs_.find(key);
  return found == logs_.end() ? nullptr : &found->second;
}

void ReplayedLogs::keep(const Key& key, const ReplayedLog& log) {
  if (logs_.size() >= kMostKept) logs_.clear();
  logs_[key] = log;
}

}  // namespace esox
