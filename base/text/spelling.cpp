// SPDX-License-Identifier: Apache-2.0
// Edit distance with insertion, deletion, substitution and the swap of two neighbours (optimal
// string alignment): the four ways a key is commonly misspelt.
#include "base/text/spelling.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <vector>

#include "base/text/letters.h"

namespace esox {
namespace {

constexpr size_t kMaxWord = 64;  // longer words are no misspelling of ours
constexpr size_t kMaxEdits = 2;

size_t edits(std::string_view a, std::string_view b) {
  std::vector<std::vector<size_t>> cost(a.size() + 1, std::vector<size_t>(b.size() + 1));
  for (size_t i = 0; i <= a.size(); ++i) cost[i][0] = i;
  for (size_t j = 0; j <= b.size(); ++j) cost[0][j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    for (size_t j = 1; j <= b.size(); ++j) {
      const bool equal = lower(a[i - 1]) == lower(b[j - 1]);
      cost[i][j] =
          std::min({cost[i - 1][j] + 1, cost[i][j - 1] + 1, cost[i - 1][j - 1] + (equal ? 0 : 1)});
      const bool swapped = i > 1 && j > 1 && lower(a[i - 1]) == lower(b[j - 2]) &&
                           lower(a[i - 2]) == lower(b[j - 1]);
      if (swapped) cost[i][j] = std::min(cost[i][j], cost[i - 2][j - 2] + 1);
    }
  }
  return cost[a.size()][b.size()];
}

}  // namespace

std::string_view nearest_name(std::string_view word, std::span<const std::string_view> known) {
  if (word.size() > kMaxWord) return {};
  std::string_view best;
  size_t best_edits = std::min(kMaxEdits, word.size() / 2) + 1;
  for (const std::string_view name : known) {
    const size_t distance = edits(word, name);
    if (distance >= best_edits) continue;
    best_edits = distance;
    best = name;
  }
  return best;
}

std::string spelling_hint(std::string_view word, std::span<const std::string_view> known) {
  const std::string_view near = nearest_name(word, known);
  if (!near.empty()) return fmt::format("; did you mean '{}'?", near);
  return fmt::format("; known are {}", fmt::join(known, ", "));
}

}  // namespace esox
