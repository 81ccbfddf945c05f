// SPDX-License-Identifier: Apache-2.0
// Descriptions from YAML. What is wrong is said as for inputs: file, line, what to do.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "summaries/frozen/description.h"

namespace esox {

// Throws InputError (base/text/input_error.h).
StructureDescriptions parse_structures(std::string_view yaml, const std::string& file);

}  // namespace esox
