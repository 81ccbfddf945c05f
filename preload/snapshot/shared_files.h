// SPDX-License-Identifier: Apache-2.0
// Files that the server maps shared and writable, as databases do with small logs: forked children
// would write into each other's. Their mappings become private ones, with the same contents.
#pragma once

namespace esox {

// While all other threads are parked. From then on nothing of them reaches the files, neither of
// the children nor of this process: which is of no use but to be forked from. What cannot be made
// private stays shared, for the harness to see and refuse.
void own_shared_files();

}  // namespace esox
