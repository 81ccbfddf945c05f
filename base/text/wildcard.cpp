// SPDX-License-Identifier: Apache-2.0
// Both by a table over all beginnings: the texts are short, and no wildcard makes it slow.
#include "base/text/wildcard.h"

#include <cstddef>
#include <vector>

namespace esox {
namespace {

// Whether `a` and `b` have a name in common; a star of `b` is one only if `stars` says so.
bool common(std::string_view a, std::string_view b, bool stars) {
  const auto star = [&](size_t j) { return stars && b[j] == '*'; };
  // common[i][j]: of the first i characters of a and the first j of b.
  std::vector<std::vector<bool>> table(a.size() + 1, std::vector<bool>(b.size() + 1, false));
  table[0][0] = true;
  for (size_t i = 0; i <= a.size(); ++i) {
    for (size_t j = 0; j <= b.size(); ++j) {
      bool fits = i == 0 && j == 0;
      if (i > 0 && a[i - 1] == '*') fits = fits || table[i - 1][j] || (j > 0 && table[i][j - 1]);
      if (j > 0 && star(j - 1)) fits = fits || table[i][j - 1] || (i > 0 && table[i - 1][j]);
      if (i > 0 && j > 0 && a[i - 1] == b[j - 1]) fits = fits || table[i - 1][j - 1];
      table[i][j] = fits;
    }
  }
  return table[a.size()][b.size()];
}

}  // namespace

bool matches(std::string_view wildcard, std::string_view name) {
  return common(wildcard, name, false);
}

bool overlap(std::string_view wildcard, std::string_view other) {
  return common(wildcard, other, true);
}

}  // namespace esox
