// SPDX-License-Identifier: Apache-2.0
// Names with wildcards: * stands for any number of characters, everything else for itself.
#pragma once

#include <string_view>

namespace esox {

bool matches(std::string_view wildcard, std::string_view name);

// Whether some name matches both.
bool overlap(std::string_view wildcard, std::string_view other);

}  // namespace esox
