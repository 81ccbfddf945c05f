// SPDX-License-Identifier: Apache-2.0
// What strategies are asked and what they follow, in short.
#pragma once

#include <vector>

#include "preload/strategy/strategy.h"

namespace esox::model {

inline Pending event(ThreadId thread, uint64_t object) {
  return {thread, OpKind::kMutexLock, object, 1};
}

// Threads that all are about to lock the same mutex.
inline std::vector<Pending> enabled(const std::vector<ThreadId>& ids) {
  std::vector<Pending> result;
  for (const ThreadId id : ids) result.push_back(event(id, 1));
  return result;
}

// They must stay in place.
inline StrategyTape tape_of(const std::vector<Choice>& choices) {
  return {.choices = choices.data(), .choice_count = static_cast<uint32_t>(choices.size())};
}

}  // namespace esox::model
