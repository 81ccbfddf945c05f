// SPDX-License-Identifier: Apache-2.0
// Whether the clients of an input can get in each other's way, by what their requests name.
// Cautious: true where it is not plain that they cannot.
//
// Pure.
#pragma once

#include "inputs/holdings.h"
#include "inputs/input.h"

namespace esox {

// Two clients name one thing that the server holds; or one has a request that names none, and so
// may be about everything. What a statement of the setup names together counts as one (a view and
// its tables, a child and its parent).
bool may_meet(const Input& input, const Holdings& holdings);

}  // namespace esox
