// SPDX-License-Identifier: Apache-2.0
// What differs between two equal serial runs is nondeterminism: it cannot be evidence.
//
// Clock readings, random values, connection ids and the like reach replies and state. Every serial
// order of an input is run twice from the same snapshot; whatever differs there is masked for all
// judgements of that input, as narrowly as it can be named. The union over all orders is taken: a
// clock shows in any order.
#pragma once

#include <span>

#include "analysis/masks.h"
#include "analysis/serial_run.h"

namespace esox {

// The places in which two outcomes of one order differ, each counted once.
Masks differing_places(const Outcome& first, const Outcome& second);

// The union over all orders that could be executed; counts say in how many orders a place differed.
Masks find_nondeterminism(std::span<const SerialRun> runs);

}  // namespace esox
