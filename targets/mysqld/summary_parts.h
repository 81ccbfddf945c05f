// SPDX-License-Identifier: Apache-2.0
// Which parts of the state an input can touch (inputs/summary_parts.h). Of tables that it does not
// touch, definitions and rows are always summarised.
#pragma once

#include <string_view>

#include "inputs/input.h"
#include "targets/mysqld/state/parts.h"

namespace esox {

// Whether the input's statements, or its server's options, can touch the part.
bool can_touch_part(const Input& input, std::string_view part);

}  // namespace esox
