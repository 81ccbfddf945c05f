// SPDX-License-Identifier: Apache-2.0
// See pos_star.h.
#include "preload/strategy/pos_star.h"

#include "preload/strategy/conflict.h"

namespace esox {

ThreadId PosStar::choose(std::span<const Pending> enabled, ThreadId /*current*/) {
  const Pending& chosen = priorities_.highest(enabled);
  for (const Pending& pending : enabled) {
    if (&pending == &chosen || conflict(pending, chosen)) priorities_.redraw(pending.thread);
  }
  return chosen.thread;
}

}  // namespace esox
