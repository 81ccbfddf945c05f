// SPDX-License-Identifier: Apache-2.0
// What strategies have in common that go from choice to choice by draws and give threads no
// priorities: a random stream, and anti-starvation by passing over. demote(): the thread sits out
// the next choice at which another one could run.
#pragma once

#include "preload/strategy/demotion.h"
#include "preload/strategy/rng.h"
#include "preload/strategy/strategy.h"

namespace esox {

class Walk : public Strategy {
 public:
  void begin(const ExecutionInfo& info) override {
    rng_ = Rng(info.seed);
    demotion_.clear();
  }
  uint64_t value(uint64_t bound) final { return rng_.below(bound); }
  void demote(ThreadId thread) final { demotion_.note(thread); }
  void end(const ExecutionStats&) final {}

 protected:
  ~Walk() = default;

  Rng rng_;
  Demotion demotion_;
};

}  // namespace esox
