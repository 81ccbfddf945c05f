// SPDX-License-Identifier: Apache-2.0
// All that a small program (tests/programs/small_program.h) can come to: a little interpreter of
// its operations that goes from every state with every thread that can go on, and knows nothing of
// how esox runs, schedules or searches.
//
// What it takes from POSIX as esox reads it (docs/data-choices.md): a signal wakes who has waited
// longest, nobody wakes by himself, and time passes only where nobody can go on.
#pragma once

#include <cstdint>
#include <set>
#include <string>

#include "tests/programs/small_program.h"

namespace esox::model {

struct Grain {
  bool accesses_are_steps = false;   // otherwise they come at once with the operation before
  bool creations_are_steps = false;  // otherwise the creator goes on to its next operation
};

struct Outcomes {
  std::set<std::string> texts;  // as the program prints them; "deadlock"
  uint64_t states = 0;
  bool complete = true;  // there were no more than so many states

  bool holds_failure() const;
};

Outcomes outcomes_of(const small::Program& program, const Grain& grain, uint64_t most_states);

}  // namespace esox::model
