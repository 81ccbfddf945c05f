// SPDX-License-Identifier: Apache-2.0
// Searches as users name them, where a strategy is asked for:
//
//   exhaustive                every partial order
//   exhaustive:preemptions=2  every schedule with at most so many preemptions
//   exhaustive:delays=2       ... delays of a plain scheduler (search.h)
//   iterative                 growing sets of preemption points, each exhausted (iterative.h)
#pragma once

#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

#include "harness/search/exhaustive/search.h"

namespace esox::exhaustive {

inline constexpr uint32_t kMostInBound = 100;  // preemptions or delays

struct SearchSpec {
  bool iterative = false;
  Bound bound = Bound::kNone;
  uint32_t most = 0;
};

// what() is one line.
class SearchSpecError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Nothing if the text does not name a search. Throws SearchSpecError if it names one wrongly.
std::optional<SearchSpec> search_spec_of(std::string_view text);

std::string text_of(const SearchSpec& spec);

}  // namespace esox::exhaustive
