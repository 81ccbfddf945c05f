// SPDX-License-Identifier: Apache-2.0
// All strategies, and making them. Their text form: harness/search/strategy_text.h.
//
// To add a strategy: a file for its class, with kKind, kName, kParameters and a constructor from
// (StrategySpec, StrategyTape) as in pct.h; its kind and parameters in strategy_spec.h; one line in
// the list of registry.cpp.
//
// All functions are pure and may be called from any thread. None allocates or throws.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include "preload/protocol/strategy_spec.h"
#include "preload/strategy/parameter.h"
#include "preload/strategy/strategy.h"

namespace esox {

// Memory for one strategy; the registry checks at compile time that each fits.
inline constexpr size_t kStrategyMemoryBytes = 4096;
inline constexpr size_t kStrategyMemoryAlignment = 16;

struct StrategyFacts {
  StrategyKind kind;
  std::string_view name;
  std::span<const Parameter> parameters;
};

// All of them, in the order of the list.
std::span<const StrategyFacts> known_strategies();

// Null if there is none of this kind, or a parameter of it is out of range.
const StrategyFacts* facts_of(const StrategySpec& spec);

// Constructs the strategy in `memory` (kStrategyMemoryBytes, aligned to kStrategyMemoryAlignment).
// Returns null if the memory does not suffice or there are no facts of `spec`. What `tape` points
// to must outlive the strategy. There is nothing to destroy: the memory may be used again.
Strategy* make_strategy(const StrategySpec& spec, const StrategyTape& tape,
                        std::span<std::byte> memory);

}  // namespace esox
