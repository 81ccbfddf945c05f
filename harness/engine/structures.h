// SPDX-License-Identifier: Apache-2.0
// An input's descriptions of the frozen server's structures, read.
#pragma once

#include <memory>
#include <vector>

#include "inputs/input.h"
#include "summaries/frozen/description.h"

namespace esox {

// Each text is read once, however many executions ask. Throws InputError; a command calls this
// before it runs anything.
std::vector<std::shared_ptr<const StructureDescriptions>> structures_of(const Input& input);

}  // namespace esox
