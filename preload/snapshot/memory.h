// SPDX-License-Identifier: Apache-2.0
// Fewer, larger pages: what a fork copies and an exit takes down is page tables.
#pragma once

namespace esox {

// Puts the process's writable private memory, and its code where the file system allows it, into
// huge pages, as far as the kernel does so (Linux 6.1). An optimisation: what fails is left as it
// is. All threads should be parked.
void use_huge_pages();

}  // namespace esox
