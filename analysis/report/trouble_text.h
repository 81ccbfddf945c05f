// SPDX-License-Identifier: Apache-2.0
// A trouble in words: one line that sums it up, and one for each client in it.
#pragma once

#include <string>
#include <vector>

#include "analysis/symbols.h"
#include "analysis/trouble.h"

namespace esox {

// `clients` are their names.
std::vector<std::string> trouble_lines(const Trouble& trouble,
                                       const std::vector<std::string>& clients, Symbols& symbols);

// The same for every load address and every execution: to know a trouble by.
std::string trouble_id(const Trouble& trouble, const Symbols& symbols);

}  // namespace esox
