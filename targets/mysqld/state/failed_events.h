// SPDX-License-Identifier: Apache-2.0
// Events that failed: no component of the state, for the server tells them in its log only:
//   2030-01-01  0:10:00 7 [ERROR] Event Scheduler: [root@localhost][test.e1] Deadlock found ...
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string_view>
#include <vector>

#include "summaries/outcome.h"

namespace esox {

class FailedEvents {
 public:
  // `folder` is that of the server that serves the session now.
  explicit FailedEvents(const std::filesystem::path& folder) : folder_(folder) {}

  void begin();
  // Since begin().
  std::vector<FailedTask> read() const;

 private:
  const std::filesystem::path& folder_;
  std::uintmax_t from_ = 0;  // in the log
};

// Those that lines of a log tell of, in their order.
std::vector<FailedTask> failed_events_in(std::string_view log);

}  // namespace esox
