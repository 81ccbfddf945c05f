// SPDX-License-Identifier: Apache-2.0
// Did two executions take the same steps? The question of the determinism gate.
//
// Two traces are equal if event by event thread, kind, call site and flags agree and the objects
// agree up to renaming: heap addresses may move between runs, so objects are numbered by first
// occurrence. Sites compare relative to their module, whatever its load address.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "analysis/execution_record.h"

namespace esox {

struct TraceDifference {
  bool equal = true;
  size_t index = 0;  // of the first event that differs, or of the end of the shorter trace
  std::string text;  // one line for people; empty if equal
};

TraceDifference compare_traces(std::span<const TraceEvent> first,
                               const std::vector<Module>& first_modules,
                               std::span<const TraceEvent> second,
                               const std::vector<Module>& second_modules);

}  // namespace esox
