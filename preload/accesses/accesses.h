// SPDX-License-Identifier: Apache-2.0
// Which memory accesses of a program built for it become scheduling points (gate.h brings them,
// interpose/accesses.cpp takes them to the scheduler).
//
// While fewer than two controlled threads live, nothing is told: no order could matter. An access
// to the thread's own stack is not offered at level kAll (kConflicting offers it if its site is
// listed): the compilers leave out what provably stays private, the rest is nearly always private
// all the same.
//
// Only the thread with the baton calls these, and begin_accesses() before any has it.
#pragma once

#include <cstdint>

#include "preload/accesses/gate.h"

namespace esox {

struct Access {
  OpKind kind;
  uint64_t address;
  uint64_t bytes;
  uint64_t site;
};

// An execution begins: its plan is in the control block.
void begin_accesses();
// The number of controlled threads that live has changed; 0 where control ends.
void tell_accesses_to(uint32_t living_threads);
// What the gate opens to.
void attach_gate(AccessGate& gate, decltype(AccessGate::told) told);
// Of the calling thread: notes the access if this execution learns, and says whether the plan makes
// it a scheduling point.
bool is_point(ThreadId thread, uint32_t tid, const Access& access);

}  // namespace esox
