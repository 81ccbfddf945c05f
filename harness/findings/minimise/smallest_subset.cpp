// SPDX-License-Identifier: Apache-2.0
#include "harness/findings/minimise/smallest_subset.h"

#include <algorithm>
#include <numeric>

namespace esox {
namespace {

class Reduction {
 public:
  Reduction(size_t count, const StillDoes& holds, size_t fewest)
      : kept_(count), holds_(holds), fewest_(fewest) {
    std::iota(kept_.begin(), kept_.end(), size_t{0});
  }

  std::vector<size_t> run() {
    for (size_t length = kept_.size(); length > 1; length = (length + 1) / 2) take_away(length);
    while (take_away(1)) {
    }
    return kept_;
  }

 private:
  bool take_away(size_t length) {
    bool any = false;
    for (size_t end = kept_.size(); end > 0;) {
      const size_t begin = end - std::min(length, end);
      any = without(begin, end) || any;
      end = begin;
    }
    return any;
  }

  bool without(size_t begin, size_t end) {
    if (kept_.size() - (end - begin) < fewest_) return false;
    std::vector<size_t> fewer = kept_;
    fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(begin),
                fewer.begin() + static_cast<std::ptrdiff_t>(end));
    if (!holds_(fewer)) return false;
    kept_ = std::move(fewer);
    return true;
  }

  std::vector<size_t> kept_;
  const StillDoes& holds_;
  const size_t fewest_;
};

}  // namespace

std::vector<size_t> smallest_subset(size_t count, const StillDoes& holds, bool may_be_none) {
  return Reduction(count, holds, may_be_none ? 0 : 1).run();
}

}  // namespace esox
