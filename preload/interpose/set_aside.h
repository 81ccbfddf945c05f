// SPDX-License-Identifier: Apache-2.0
// Address space that families of hooks need for themselves: of listings of directories
// (directories.cpp), and of the heap of controlled threads during an execution (heap.cpp).
//
// Each sets its own aside, if that was not done yet; false if it cannot be. Otherwise done by the
// first use. A template has it done before: its children's mappings then stay as they are.
#pragma once

namespace esox {

bool map_listings();
bool map_execution_heap();

}  // namespace esox
