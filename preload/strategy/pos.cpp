// SPDX-License-Identifier: Apache-2.0
// See pos.h.
#include "preload/strategy/pos.h"

namespace esox {

ThreadId Pos::choose(std::span<const Pending> enabled, ThreadId /*current*/) {
  const ThreadId chosen = priorities_.highest(enabled).thread;
  priorities_.redraw(chosen);
  return chosen;
}

}  // namespace esox
