// SPDX-License-Identifier: Apache-2.0
// What strategies have in common that go from choice to choice by draws and give threads no
// priorities: a random stream, and anti-starvation by passing over. demote(): the thread sits out
// the next choice at which another one could run.
#pragma once

#include "preload/strategy/rng.h"
#include "preload/strategy/strategy.h"

namespace esox {

class Walk : public Strategy {
 public:
  void begin(const ExecutionInfo& info) override {
    rng_ = Rng(info.seed);
    demoted_ = kNoThread;
  }
  uint64_t value(uint64_t bound) final { return rng_.below(bound); }
  void demote(ThreadId thread) final { demoted_ = thread; }
  void end(const ExecutionStats&) final {}

 protected:
  ~Walk() = default;

  // Whom to pass over at this choice; kNoThread: nobody. Where there is a choice, that uses the
  // demotion up.
  ThreadId take_demoted(std::span<const Pending> enabled) {
    if (demoted_ == kNoThread || enabled.size() < 2) return kNoThread;
    const ThreadId taken = demoted_;
    demoted_ = kNoThread;
    return taken;
  }

  Rng rng_;

 private:
  ThreadId demoted_ = kNoThread;
};

}  // namespace esox
