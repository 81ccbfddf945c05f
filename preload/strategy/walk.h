// SPDX-License-Identifier: Apache-2.0
// What strategies have in common that go from choice to choice by draws and give threads no
// priorities: a random stream.
#pragma once

#include "preload/strategy/rng.h"
#include "preload/strategy/strategy.h"

namespace esox {

class Walk : public Strategy {
 public:
  void begin(const ExecutionInfo& info) override { rng_ = Rng(info.seed); }
  uint64_t value(uint64_t bound) final { return rng_.below(bound); }

 protected:
  ~Walk() = default;

  Rng rng_;
};

}  // namespace esox
