// SPDX-License-Identifier: Apache-2.0
// All strategies by name: reading and writing their text form, and making them.
//
// Text form: NAME or NAME:KEY=VALUE[,KEY=VALUE...], for instance `pct:d=3`, `random:p=0.05`,
// `serial`, `replay`. A parameter that is not given has its default (strategy_spec.h).
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
#include "preload/strategy/strategy.h"

namespace esox {

// Memory for one strategy; the registry checks at compile time that each fits.
inline constexpr size_t kStrategyMemoryBytes = 4096;
inline constexpr size_t kStrategyMemoryAlignment = 16;

// Enough for every line that these functions write, with the NUL at its end.
inline constexpr size_t kStrategyTextBytes = 64;
inline constexpr size_t kStrategyErrorBytes = 256;

// All of them, in the order of the list.
std::span<const StrategyKind> strategy_kinds();

// Reads the text form into *out. On bad input returns false, leaves *out alone and writes one line
// (without newline) to `error` that says what is wrong and what would be right; it is cut at
// error_size - 1 characters.
bool parse_strategy(std::string_view text, StrategySpec* out, char* error, size_t error_size);

// Writes the text form with all parameters and a NUL; returns its length. Returns 0 with an empty
// text if `spec` is not one that parse_strategy could give, or `size` is too small.
size_t format_strategy(const StrategySpec& spec, char* text, size_t size);

// Constructs the strategy in `memory` (kStrategyMemoryBytes, aligned to kStrategyMemoryAlignment).
// Returns null if the memory does not suffice or `spec` has an unknown kind or a parameter out of
// range. What `tape` points to must outlive the strategy. There is nothing to destroy: the memory
// may be used again.
Strategy* make_strategy(const StrategySpec& spec, const StrategyTape& tape,
                        std::span<std::byte> memory);

}  // namespace esox
