// SPDX-License-Identifier: Apache-2.0
// What every function of the runtime does first: tell the access, if anybody listens.
//
// The library stands in for the thread sanitizer's own runtime: same names, same arguments, since
// these are what gcc and clang call in code built with -fsanitize=thread. It finds no races. It
// lets esox choose, before each access, which thread goes on; without esox it does the access and
// nothing else.
//
// One thread runs at a time, so every access happens as if memory were sequentially consistent:
// reorderings by the processor are not explored.
#pragma once

#include <cstddef>
#include <cstdint>

#include "preload/accesses/gate.h"

namespace esox {

extern constinit AccessGate g_gate;

inline uint64_t address_of(const volatile void* object) {
  return reinterpret_cast<uint64_t>(object);
}

inline void tell_plain(OpKind kind, const volatile void* object, size_t bytes, uint64_t site) {
  const PlainAccesses plain = g_gate.plain.load(std::memory_order_relaxed);
  if (__builtin_expect(plain == PlainAccesses::kUntold, 1)) return;
  if (plain == PlainAccesses::kListed && g_gate.listed[place_of_site(site)] == 0) return;
  g_gate.told(kind, address_of(object), bytes, site);
}

inline void tell_atomic(OpKind kind, const volatile void* object, size_t bytes, uint64_t site) {
  if (__builtin_expect(g_gate.atomics.load(std::memory_order_relaxed) == 0, 1)) return;
  g_gate.told(kind, address_of(object), bytes, site);
}

}  // namespace esox

// Marks what the compilers call.
#define ESOX_TSAN extern "C" __attribute__((visibility("default"), noinline))
// Where in the program that call is.
#define ESOX_CALLER() reinterpret_cast<uint64_t>(__builtin_return_address(0))
