// SPDX-License-Identifier: Apache-2.0
#include "harness/findings/diagnosis/fewest_choices.h"

#include <algorithm>
#include <iterator>

#include "preload/protocol/data_choice.h"

namespace esox {
namespace {

size_t taken_among(const std::vector<uint64_t>& values) {
  return static_cast<size_t>(std::ranges::count_if(values, is_taken_choice));
}

std::vector<uint64_t> among_waiters(const std::vector<uint64_t>& values) {
  std::vector<uint64_t> left;
  std::remove_copy_if(values.begin(), values.end(), std::back_inserter(left), is_taken_choice);
  return left;
}

}  // namespace

Tried fewest_choices(const Tried& start, const TryChoices& execute) {
  Tried best = start;
  bool spent = false;
  const auto adopt = [&](const std::vector<uint64_t>& values) {
    std::optional<Tried> tried = execute(best.schedule, values);
    spent = !tried;
    if (spent || tried->side != Side::kSame) return;
    if (taken_among(tried->values) < taken_among(best.values)) best = std::move(*tried);
  };
  if (taken_among(best.values) == 0) return best;
  adopt(among_waiters(best.values));
  for (size_t i = best.values.size(); i-- > 0 && !spent;) {
    if (i >= best.values.size() || !is_taken_choice(best.values[i])) continue;
    std::vector<uint64_t> without = best.values;
    without.erase(without.begin() + static_cast<std::ptrdiff_t>(i));
    adopt(without);
  }
  return best;
}

}  // namespace esox
