// SPDX-License-Identifier: Apache-2.0
// Random small programs: nested locks in random order (so some deadlock), accesses, semaphores.
#pragma once

#include <string>
#include <vector>

#include "harness/search/strategy_text.h"
#include "preload/strategy/registry.h"
#include "preload/strategy/rng.h"
#include "tests/models/model.h"

namespace esox::model {

// Of the strategies that explore, or of the others: each as it is written, with its defaults.
inline std::vector<std::string> strategy_texts(bool that_explore) {
  std::vector<std::string> texts;
  for (const StrategyFacts& one : known_strategies()) {
    if (explores(one.kind) == that_explore) texts.push_back(strategy_text({.kind = one.kind}));
  }
  return texts;
}

inline std::vector<Operation> random_block(Rng& rng) {
  const auto first = static_cast<int>(rng.below(kLocks));
  const auto second = static_cast<int>((first + 1 + rng.below(kLocks - 1)) % kLocks);
  const auto cell = static_cast<int>(rng.below(4));
  switch (rng.below(5)) {
    case 0:
      return {lock(first), write(cell, 1), unlock(first)};
    case 1:
      return {lock(first), lock(second), unlock(second), unlock(first)};
    case 2:
      return {access(cell, [cell](World& world) { ++world.cell[cell]; })};
    case 3:
      return {signal(8)};
    default:
      return {wait(8)};
  }
}

inline Program random_program(Rng& rng) {
  Program program{"random", {}};
  program.threads.resize(2 + rng.below(3));
  for (std::vector<Operation>& thread : program.threads) {
    for (uint64_t blocks = rng.below(5); blocks > 0; --blocks) {
      for (Operation& operation : random_block(rng)) thread.push_back(std::move(operation));
    }
  }
  return program;
}

// Of 6 to 10 operations: few enough for all schedules.
inline Program small_random_program(Rng& rng) {
  while (true) {
    Program program = random_program(rng);
    size_t operations = 0;
    for (const auto& thread : program.threads) operations += thread.size();
    if (operations >= 6 && operations <= 10) return program;
  }
}

}  // namespace esox::model
