// SPDX-License-Identifier: Apache-2.0
// The dependency graph of an anomaly as a picture: SVG to stand in an HTML page, without scripts
// and fonts of its own. A box is a transaction with its requests; an arrow says that it takes
// effect before another one, and by what that is known. The transactions of the cycle stand around
// in its order, with heavy arrows; kinds of arrows differ in their strokes, so that nobody needs
// colours.
//
// The page's style gives the colours: classes dep-box, dep-in, dep-edge, dep-head, dep-ww (wr, rw,
// rt), dep-cycle, dep-label.
#pragma once

#include <cstddef>
#include <string>

#include "analysis/dependency_graph.h"

namespace esox {

inline constexpr size_t kMostDrawnTransactions = 8;

// Empty: there is no cycle to show. Transactions beyond the limit are left out, those of the cycle
// last; `left_out` says how many.
struct DependencyPicture {
  std::string svg;
  size_t left_out = 0;
};

DependencyPicture dependency_svg(const Input& input, const Dependencies& dependencies);

}  // namespace esox
