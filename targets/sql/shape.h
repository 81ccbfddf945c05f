// SPDX-License-Identifier: Apache-2.0
// What an input is, apart from names and values: two of the same shape test the same thing. Its
// statements with `?` for values, a number for each object (1 for the first named, and so on) and
// nothing for other names, its engines and its options.
#pragma once

#include <string>

#include "inputs/input.h"

namespace esox {

// Equal texts for equal shapes.
std::string shape_of(const Input& input);

}  // namespace esox
