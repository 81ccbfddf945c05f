// SPDX-License-Identifier: Apache-2.0
// One serial order, executed twice on the same server from the same snapshot.
//
// Serial orders are never modelled, they are run. The second run exists to see what differs
// between equal runs, which is then nondeterminism and not evidence (see nondeterminism.h).
#pragma once

#include <string>

#include "analysis/linearization.h"
#include "summaries/outcome.h"

namespace esox {

struct SerialRun {
  Order order;  // of the requests that were executed
  Outcome first;
  Outcome second;
  std::string infeasible;  // empty, or why this order could not be executed to its end
  // Requests that were left out (tolerance.h); the outputs have a place for them, unanswered.
  RequestSet without = {};
};

// The name of an order of all requests but some: "B1, without A1".
std::string order_name(const Order& order, const RequestSet& without,
                       const std::vector<std::string>& client_names = {});

}  // namespace esox
