// SPDX-License-Identifier: Apache-2.0
// A parameter of a strategy, as the text form names it: the `d` of `pct:d=3`.
//
// Each strategy lists its parameters beside its class; they are read and written by
// harness/search/strategy_text.h.
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

constexpr bool in_range(const Parameter& parameter, const StrategySpec& spec) {
  if (parameter.whole != nullptr) {
    const uint32_t value = spec.*parameter.whole;
    return parameter.least <= value && value <= parameter.most;
  }
  const double value = spec.*parameter.fraction;
  return 0 < value && value <= 1;
}

}  // namespace esox
