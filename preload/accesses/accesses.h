// SPDX-License-Identifier: Apache-2.0
// Memory accesses of a program built for it become scheduling points here (gate.h brings them).
//
// While fewer than two controlled threads live, nothing is told: no order could matter. An access
// to the thread's own stack is not offered at level kAll (kConflicting offers it if its site is
// listed): the compilers leave out what provably stays private, the rest is nearly always private
// all the same.
#pragma once

#include <cstdint>

namespace esox {

// An execution begins: its plan is in the control block.
void begin_accesses();
// The number of controlled threads that live has changed; 0 where control ends.
void tell_accesses_to(uint32_t living_threads);

}  // namespace esox
