// SPDX-License-Identifier: Apache-2.0
// Looking up threads in the list of enabled ones that choose() is given.
#pragma once

#include <span>

#include "preload/strategy/strategy.h"

namespace esox {

// The pending operation of `thread`, or null if it is not enabled.
inline const Pending* find_enabled(std::span<const Pending> enabled, ThreadId thread) {
  for (const Pending& pending : enabled) {
    if (pending.thread == thread) return &pending;
  }
  return nullptr;
}

}  // namespace esox
