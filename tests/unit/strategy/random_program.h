// SPDX-License-Identifier: Apache-2.0
// Random small programs: nested locks in random order (so some deadlock), accesses, semaphores.
#pragma once

#include "preload/strategy/rng.h"
#include "tests/models/model.h"

namespace esox::model {

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
