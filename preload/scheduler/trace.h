// SPDX-License-Identifier: Apache-2.0
// Writes operations, switches, data choices and file names into the control block.
//
// Nothing is dropped silently: a full region marks the execution degraded.
//
// A lock that is initialised during the execution is a new object, also where the allocator gave it
// an address that was used before (which depends on what threads outside control free, and when):
// its identity is the address with the number of the initialisation in the upper 16 bits.
#pragma once

#include "preload/core/control.h"
#include "preload/core/dense_table.h"

namespace esox {

class TraceRecorder {
 public:
  void begin() {
    ControlBlock& b = block();
    b.trace_count = b.choice_count = b.value_count = b.waiting_count = 0;
    numbered_.clear();
    born_.clear();
    born_count_ = 0;
  }

  // The lock at `address` was initialised just now. With the table full it keeps its old identity.
  void note_initialised(uint64_t address) {
    if (Born* born = born_.find_or_add(address)) born->number = ++born_count_;
  }

  uint64_t identity(uint64_t address) {
    const Born* born = born_.find(address);
    return address | (born == nullptr ? 0 : uint64_t{born->number} << 48);
  }

  // The object's number in the order of first use in this execution: the same in equal executions,
  // wherever the allocator put it. 0 if the table is full.
  uint64_t number(uint64_t address) {
    Numbered* numbered = numbered_.find_or_add(identity(address));
    if (numbered == nullptr) return 0;
    if (numbered->number == 0) numbered->number = numbered_.size();
    return numbered->number;
  }

  // The event stays writable until the next one, so that flags can be added.
  TraceEvent* event(ThreadId thread, OpKind kind, uint64_t object, uint64_t site, uint64_t aux,
                    uint8_t flags) {
    ControlBlock& b = block();
    if (b.trace_count >= kMaxTraceEvents) {
      mark_degraded(kDegradedTraceFull);
      return nullptr;
    }
    TraceEvent& e = b.trace[b.trace_count++];
    e = {site, identity(object), aux, static_cast<uint32_t>(b.points), thread, kind, flags};
    return &e;
  }

  void choice(uint32_t point, ThreadId thread) {
    ControlBlock& b = block();
    if (b.choice_count >= kMaxChoices) return mark_degraded(kDegradedChoicesFull);
    b.choices[b.choice_count++] = {point, thread, 0};
  }

  void waiting(const WaitingThread& record) {
    ControlBlock& b = block();
    if (b.waiting_count >= kMaxWaiting) return mark_degraded(kDegradedTraceFull);
    b.waiting[b.waiting_count++] = record;
  }

  void value(uint64_t chosen) {
    ControlBlock& b = block();
    if (b.value_count >= kMaxValues) return mark_degraded(kDegradedChoicesFull);
    b.values[b.value_count++] = chosen;
  }

 private:
  struct Born {
    uint64_t object;
    uint16_t number;
  };
  struct Numbered {
    uint64_t object;
    uint32_t number;
  };
  DenseTable<Numbered, 1u << 13> numbered_;
  DenseTable<Born, 2048> born_;
  uint16_t born_count_ = 0;
};

}  // namespace esox
