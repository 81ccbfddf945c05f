// SPDX-License-Identifier: Apache-2.0
// Delta debugging (A. Zeller, R. Hildebrandt, "Simplifying and isolating failure-inducing input",
// 2002): of n things, few that still do what all of them do.
//
// Ever smaller runs of neighbours are taken away: all, halves, quarters, ..., single ones, these
// until none can go any more. Each run from the last to the first, for later statements need
// earlier ones.
//
// Pure but for `holds`; the same answers give the same result.
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

namespace esox {

// Do these, in ascending order, still do it? They are never all of them.
using StillDoes = std::function<bool(const std::vector<size_t>& kept)>;

// Single ones cannot be taken away from the result, as far as `holds` is asked. With `may_be_none`
// false one at least stays, and `holds` is not asked about none.
std::vector<size_t> smallest_subset(size_t count, const StillDoes& holds, bool may_be_none = true);

}  // namespace esox
