// SPDX-License-Identifier: Apache-2.0
// A search from its beginning to its end, or to a limit.
#pragma once

#include "harness/search/exhaustive/search.h"

namespace esox::exhaustive {

struct SearchLimits {
  uint64_t executions = 1'000'000;
  uint64_t violations = UINT64_MAX;
};

inline SearchResult search(ScheduleRunner& runner, const SearchOptions& options,
                           const SearchLimits& limits = {}) {
  const std::unique_ptr<SearchInProgress> search = begin_search(options);
  const SearchResult& result = search->result();
  bool more = true;
  while (more && result.executions < limits.executions && result.violating < limits.violations) {
    more = search->take(runner.run(search->next()));
  }
  return result;
}

}  // namespace esox::exhaustive
