// SPDX-License-Identifier: Apache-2.0
// Writes operations, switches, data choices and file names into the control block.
//
// Nothing is dropped silently: a full region marks the execution degraded.
//
// A lock that is initialised during the execution is a new object, also where the allocator gave it
// an address that was used before (which depends on what threads outside control free, and when):
// its identity is the address with the number of the initialisation in the upper 16 bits.
#pragma once

#include <cstring>

#include "preload/control.h"

namespace esox {

class TraceRecorder {
 public:
  void begin() {
    ControlBlock& b = block();
    b.trace_count = b.choice_count = b.value_count = 0;
    born_count_ = 0;
    ++generation_;
    numbers_used_ = 0;
    for (Born& born : born_) born = {};
  }

  // The lock at `address` was initialised just now. With the table full it keeps its old identity.
  void note_initialised(uint64_t address) {
    Born& born = find_born(address);
    if (born.address == 0 && born_count_ >= kBorn - kBorn / 4) return;
    born = {address, ++born_count_};
  }

  uint64_t identity(uint64_t address) {
    return address | (uint64_t{find_born(address).number} << 48);
  }

  // The object's number in the order of first use in this execution: the same in equal executions,
  // wherever the allocator put it. 0 if the table is full.
  uint64_t number(uint64_t address) {
    const uint64_t object = identity(address);
    uint32_t index = static_cast<uint32_t>((object * 0x9e3779b97f4a7c15u) >> 40) % kNumbered;
    while (numbered_[index].generation == generation_ && numbered_[index].object != object) {
      index = (index + 1) % kNumbered;
    }
    Numbered& numbered = numbered_[index];
    if (numbered.generation == generation_) return numbered.number;
    if (numbers_used_ >= kNumbered - kNumbered / 4) return 0;
    numbered = {object, generation_, ++numbers_used_};
    return numbered.number;
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

  void value(uint64_t chosen) {
    ControlBlock& b = block();
    if (b.value_count >= kMaxValues) return mark_degraded(kDegradedChoicesFull);
    b.values[b.value_count++] = chosen;
  }

 private:
  static constexpr uint32_t kBorn = 2048;
  struct Born {
    uint64_t address = 0;  // 0: free, its number is 0 then
    uint16_t number = 0;
  };
  // Open addressing: where `address` is, or would be put.
  Born& find_born(uint64_t address) {
    uint32_t index = static_cast<uint32_t>((address * 0x9e3779b97f4a7c15u) >> 40) % kBorn;
    while (born_[index].address != 0 && born_[index].address != address) {
      index = (index + 1) % kBorn;
    }
    return born_[index];
  }

  static constexpr uint32_t kNumbered = 1u << 13;
  struct Numbered {
    uint64_t object = 0;
    uint32_t generation = 0;  // of another execution: free
    uint32_t number = 0;
  };

  Numbered numbered_[kNumbered] = {};
  uint32_t generation_ = 0;
  uint32_t numbers_used_ = 0;
  Born born_[kBorn] = {};
  uint16_t born_count_ = 0;
};

}  // namespace esox
