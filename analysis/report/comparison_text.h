// SPDX-License-Identifier: Apache-2.0
// comparison.txt: why the execution is a violation, told to someone who has never seen esox.
//
// In the order of the questions a reader has: what is wrong, what was run, what came out, which
// serial orders there are and where each one fails, the differences in full, and what was not
// compared.
#pragma once

#include <cstddef>
#include <string>

#include "analysis/execution_record.h"
#include "analysis/symbols.h"
#include "analysis/verdict.h"
#include "inputs/input.h"

namespace esox {

struct ComparisonTextOptions {
  size_t width = 110;
  size_t max_lines = 20;  // rows or elements shown of one list
};

std::string comparison_text(const ConcreteInput& input, const ExecutionRecord& record,
                            const Verdict& verdict, const Masks& masks, Symbols& symbols,
                            const ComparisonTextOptions& options = {});

}  // namespace esox
