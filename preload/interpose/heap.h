// SPDX-License-Identifier: Apache-2.0
// The heap of controlled threads during an execution (heap.cpp).
#pragma once

namespace esox {

// Sets its address space aside, if that was not done yet; false if it cannot be. Otherwise done by
// the first allocation. A template has it done before: its children's mappings then stay as they
// are.
bool map_execution_heap();

}  // namespace esox
