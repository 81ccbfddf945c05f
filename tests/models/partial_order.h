// SPDX-License-Identifier: Apache-2.0
// Which partial order (Mazurkiewicz trace) an execution of a model program is: executions that
// differ only in the order of independent operations have the same one.
#pragma once

#include <map>
#include <string>

#include "tests/models/model.h"

namespace esox::model {

// A name of the partial order of an execution that ran the threads in this order: equal names,
// equal partial orders (its Foata normal form: layers of events that only wait for the layer
// before).
std::string partial_order_of(const Program& program, const std::vector<ThreadId>& order);

// The partial orders that `runs` executions show, seeds 1, 2, ..., and how often each.
std::map<std::string, uint64_t> partial_orders_seen(const Program& program, const char* strategy,
                                                    uint32_t runs);

}  // namespace esox::model
