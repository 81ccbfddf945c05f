// SPDX-License-Identifier: Apache-2.0
// The mutations (mutation.h), each a function of the member.
#pragma once

#include <functional>
#include <optional>

#include "inputs/generation/composer.h"
#include "inputs/generation/mutation.h"

namespace esox {

// All but kSetup. Nothing: not possible, or nothing has changed.
std::optional<Input> mutated(Mutation how, const Input& member, const MakingHelp& help,
                             const Grammar& grammar, Composer& composer);

// The member's clients over one of some setups drawn that makes all that the member's own makes.
std::optional<Input> with_setup(const Input& member, const std::function<Input()>& draw);

}  // namespace esox
