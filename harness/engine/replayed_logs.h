// SPDX-License-Identifier: Apache-2.0
// The logs of one input that were replayed already. Equal logs, replayed from the equal state after
// the setup, give the same; so each is replayed once, and most executions of an input write one of
// few.
#pragma once

#include <cstdint>
#include <map>
#include <utility>

#include "inputs/input.h"
#include "summaries/digest.h"
#include "targets/replayable_log.h"

namespace esox {

class ReplayedLogs {
 public:
  // The date at which the setup ran, and the log's events.
  using Key = std::pair<int64_t, Digest>;

  // Null: not replayed yet. Those of another input are forgotten.
  const ReplayedLog* find(const Input& input, const Key& key) {
    if (!(input == input_)) {
      logs_.clear();
      input_ = input;
    }
    const auto found = logs_.find(key);
    return found == logs_.end() ? nullptr : &found->second;
  }

  // One that could be replayed, of the input of the last find().
  void keep(const Key& key, const ReplayedLog& log) {
    if (logs_.size() >= kMostKept) logs_.clear();
    logs_[key] = log;
  }

  size_t size() const { return logs_.size(); }

 private:
  static constexpr size_t kMostKept = 1000;  // then all are forgotten

  Input input_;
  std::map<Key, ReplayedLog> logs_;
};

}  // namespace esox
