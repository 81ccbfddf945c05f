// SPDX-License-Identifier: Apache-2.0
#include "preload/strategy/registry.h"

#include <array>
#include <iterator>
#include <new>
#include <type_traits>

#include "preload/strategy/pct.h"
#include "preload/strategy/pos.h"
#include "preload/strategy/prefix.h"
#include "preload/strategy/random_walk.h"
#include "preload/strategy/rapos.h"
#include "preload/strategy/replay.h"
#include "preload/strategy/segments.h"
#include "preload/strategy/serial.h"
#include "preload/strategy/surw.h"
#include "preload/strategy/weighted_walk.h"

namespace esox {
namespace {

struct Registration {
  StrategyFacts facts;
  Strategy* (*make)(const StrategySpec&, const StrategyTape&, std::byte* memory);
};

template <class T>
constexpr Registration registration() {
  static_assert(sizeof(T) <= kStrategyMemoryBytes);
  static_assert(alignof(T) <= kStrategyMemoryAlignment);
  static_assert(std::is_trivially_destructible_v<T>, "its memory is reused without a destructor");
  std::span<const Parameter> parameters;
  if constexpr (requires { T::kParameters; }) parameters = T::kParameters;
  return {{T::kKind, T::kName, parameters},
          [](const StrategySpec& spec, const StrategyTape& tape, std::byte* memory) -> Strategy* {
            return new (memory) T(spec, tape);
          }};
}

constexpr Registration kStrategies[] = {
    registration<Serial>(),  registration<Pct>(),      registration<RandomWalk>(),
    registration<Replay>(),  registration<Segments>(), registration<Pos>(),
    registration<PosStar>(), registration<Rapos>(),    registration<WeightedWalk>(),
    registration<Surw>(),    registration<Prefix>(),
};

constexpr auto kFacts = [] {
  std::array<StrategyFacts, std::size(kStrategies)> facts{};
  for (size_t i = 0; i < facts.size(); ++i) facts[i] = kStrategies[i].facts;
  return facts;
}();

}  // namespace

std::span<const StrategyFacts> known_strategies() {
  return kFacts;
}

const StrategyFacts* facts_of(const StrategySpec& spec) {
  for (const StrategyFacts& strategy : kFacts) {
    if (strategy.kind != spec.kind) continue;
    for (const Parameter& parameter : strategy.parameters) {
      if (!in_range(parameter, spec)) return nullptr;
    }
    return &strategy;
  }
  return nullptr;
}

Strategy* make_strategy(const StrategySpec& spec, const StrategyTape& tape,
                        std::span<std::byte> memory) {
  const StrategyFacts* facts = facts_of(spec);
  const bool aligned = reinterpret_cast<uintptr_t>(memory.data()) % kStrategyMemoryAlignment == 0;
  if (facts == nullptr || memory.size() < kStrategyMemoryBytes || !aligned) return nullptr;
  return kStrategies[facts - kFacts.data()].make(spec, tape, memory.data());
}

}  // namespace esox
