// SPDX-License-Identifier: Apache-2.0
// One description read from one memory: its components, named "frozen:NAME".
//
// What cannot be taken is unavailable and says why, with the description's file and line. What is
// broken in the memory itself (links into nothing, lists that go round) is an element in words.
#pragma once

#include <string>
#include <vector>

#include "summaries/component.h"
#include "summaries/frozen/description.h"
#include "summaries/frozen/memory.h"
#include "summaries/frozen/program.h"

namespace esox {

inline constexpr const char* kFrozenPrefix = "frozen:";

std::vector<Component> read_structures(const StructureDescriptions& descriptions, Program& program,
                                       Memory& memory);

// Whether names, members and types fit the program, without a process: each component is there,
// with no elements, unavailable where it does not fit.
std::vector<Component> check_structures(const StructureDescriptions& descriptions,
                                        Program& program);

// All of them unavailable for one reason.
std::vector<Component> unavailable_structures(const StructureDescriptions& descriptions,
                                              const std::string& why);

}  // namespace esox
