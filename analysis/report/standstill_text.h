// SPDX-License-Identifier: Apache-2.0
// A hang in a few lines: since when has nothing new happened (analysis/standstill.h), who waits
// where, and who goes round in a circle?
#pragma once

#include <set>
#include <span>
#include <string>
#include <vector>

#include "analysis/execution_record.h"
#include "analysis/symbols.h"

namespace esox {

// Empty if something new happened up to the last tenth of the trace. `names` are those of the
// clients.
std::vector<std::string> standstill_lines(const ExecutionRecord& record,
                                          const std::vector<std::string>& names, Symbols& symbols);

// Where clients stand, and where the waits of others time out, as such lines tell it; other lines
// may be among them.
std::set<std::string> standstill_places(std::span<const std::string> lines);

}  // namespace esox
