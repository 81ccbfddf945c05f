// SPDX-License-Identifier: Apache-2.0
#include "base/text/wildcard.h"

#include <cstddef>
#include <vector>

namespace esox {

// Each execution asks some hundred times. A star takes as little as it can, and one character more
// each time that the rest does not fit; earlier stars need no second try.
bool matches(std::string_view wildcard, std::string_view name) {
  size_t at = 0;
  size_t read = 0;
  size_t star = std::string_view::npos;
  size_t taken = 0;  // by it, the place in the name behind that
  while (read < name.size()) {
    if (at < wildcard.size() && wildcard[at] == '*') {
      star = at++;
      taken = read;
    } else if (at < wildcard.size() && wildcard[at] == name[read]) {
      ++at;
      ++read;
    } else if (star != std::string_view::npos) {
      at = star + 1;
      read = ++taken;
    } else {
      return false;
    }
  }
  return wildcard.find_first_not_of('*', at) == std::string_view::npos;
}

// By a table over all beginnings: the texts are short, and no wildcard makes it slow.
bool overlap(std::string_view wildcard, std::string_view other) {
  const std::string_view& a = wildcard;
  const std::string_view& b = other;
  // common[i][j]: of the first i characters of a and the first j of b.
  std::vector<std::vector<bool>> common(a.size() + 1, std::vector<bool>(b.size() + 1, false));
  for (size_t i = 0; i <= a.size(); ++i) {
    for (size_t j = 0; j <= b.size(); ++j) {
      bool fits = i == 0 && j == 0;
      if (i > 0 && a[i - 1] == '*') fits = fits || common[i - 1][j] || (j > 0 && common[i][j - 1]);
      if (j > 0 && b[j - 1] == '*') fits = fits || common[i][j - 1] || (i > 0 && common[i - 1][j]);
      if (i > 0 && j > 0 && a[i - 1] == b[j - 1]) fits = fits || common[i - 1][j - 1];
      common[i][j] = fits;
    }
  }
  return common[a.size()][b.size()];
}

}  // namespace esox
