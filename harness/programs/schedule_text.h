// SPDX-License-Identifier: Apache-2.0
// The schedule of a program's execution for people: one line per operation, in the order in which
// they happened, with a line between wherever another thread goes on. Long runs of one thread are
// cut in the middle.
#pragma once

#include <string>
#include <vector>

#include "analysis/execution_record.h"
#include "analysis/symbols.h"

namespace esox {

// `names` as thread_names() in failure.h gives them.
std::string schedule_text(const ExecutionRecord& record, const std::vector<std::string>& names,
                          Symbols& symbols);

}  // namespace esox
