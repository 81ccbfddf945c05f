// SPDX-License-Identifier: Apache-2.0
// Anti-starvation for strategies that give threads no priorities: a demoted thread sits out the
// next choice at which another one could run.
#pragma once

#include "preload/strategy/enabled.h"

namespace esox {

class Demotion {
 public:
  void clear() { thread_ = kNoThread; }
  void note(ThreadId thread) { thread_ = thread; }

  // Whom to pass over at this choice; kNoThread: nobody. Where there is a choice, that uses the
  // demotion up.
  ThreadId take(std::span<const Pending> enabled) {
    if (thread_ == kNoThread || enabled.size() < 2) return kNoThread;
    const ThreadId taken = thread_;
    thread_ = kNoThread;
    return taken;
  }

 private:
  ThreadId thread_ = kNoThread;
};

}  // namespace esox
