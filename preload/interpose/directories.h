// SPDX-License-Identifier: Apache-2.0
// Listings of directories in the order of their names (directories.cpp).
#pragma once

namespace esox {

// Sets their address space aside, if that was not done yet; false if it cannot be. Otherwise done
// by the first listing. A template has it done before: its children's mappings then stay as they
// are.
bool map_listings();

}  // namespace esox
