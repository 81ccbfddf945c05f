// SPDX-License-Identifier: Apache-2.0
// A parameter of a strategy, as the text form names it: the `d` of `pct:d=3`.
//
// Each strategy lists its parameters beside its class; the registry reads, checks and writes them.
// Exactly one of `whole` and `fraction` is set.
#pragma once

#include <cstdint>
#include <string_view>

#include "preload/protocol/strategy_spec.h"

namespace esox {

struct Parameter {
  std::string_view key;

  uint32_t StrategySpec::*whole = nullptr;  // a whole number, least <= x <= most
  uint32_t least = 0;
  uint32_t most = 0;

  double StrategySpec::*fraction = nullptr;  // 0 < x <= 1
};

}  // namespace esox
