// SPDX-License-Identifier: Apache-2.0
// A log that is written by groups: whoever comes first writes for all who come meanwhile, and they
// wait until their line is there. Any thread may call.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <string>
#include <vector>

namespace keyvalue {

class Journal {
 public:
  // Returns when the line can be read.
  void append(std::string line);
  std::vector<std::string> lines();
  void clear();

 private:
  void write_queue(std::unique_lock<std::mutex>& lock);

  std::mutex mutex_;  // guards all but lines_
  std::condition_variable written_more_;
  std::vector<std::string> queue_;
  uint64_t queued_ = 0;   // lines so far, and those of them
  uint64_t written_ = 0;  // that can be read
  bool writing_ = false;
  std::mutex file_mutex_;  // never waited for under mutex_
  std::vector<std::string> lines_;
};

}  // namespace keyvalue
