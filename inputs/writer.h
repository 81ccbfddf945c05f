// SPDX-License-Identifier: Apache-2.0
// Writes an input back as YAML: what a finding keeps, and what a minimiser hands to people.
#pragma once

#include <string>
#include <vector>

#include "inputs/input.h"

namespace esox {

// One document that parse_inputs reads as an equal input (but for its origin). The input must hold
// the invariants of input.h; a ConcreteInput's `input` does.
std::string to_yaml(const Input& input);

// Several, as one file with a list.
std::string to_yaml(const std::vector<Input>& inputs);

}  // namespace esox
