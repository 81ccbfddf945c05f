// SPDX-License-Identifier: Apache-2.0
// A schedule that was tried, and what became of it: what the searches of a diagnosis work with, so
// that they can be tested without a server.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "analysis/schedule.h"

namespace esox {

enum class Side {
  kSame,      // it breaks as the finding does
  kAccepted,  // a serial order explains it
  kOther      // it breaks in another way, or could not be judged
};

// What was really executed, which need not be what was asked for: a thread may have had to wait.
struct Tried {
  Side side = Side::kOther;
  bool breaks = false;         // as the finding does or in another way of its class
  size_t followed = SIZE_MAX;  // so many segments, from the first, were executed as asked for
  bool finished = true;        // else it crashed or stood still
  Schedule schedule;
  std::vector<bool> could_go_on;  // by segment: its thread was replaced though it could run
  Schedule request_boundaries;    // where requests begin and end, by points of their thread
  std::vector<Choice> choices;    // to replay it to the letter
  std::vector<uint64_t> values;
  uint64_t points = 0;
};

// Nothing: the budget is spent.
using Try = std::function<std::optional<Tried>(const Schedule&)>;

}  // namespace esox
