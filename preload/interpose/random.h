// SPDX-License-Identifier: Apache-2.0
// Chance as the kernel and the C library give it: the same numbers in every execution.
//
// Each controlled thread has a sequence of its own, whatever the others draw and whatever the seed
// of the schedule: what it makes of them (a name, a key) is the same in the serial orders that have
// to explain it. All threads outside share one.
//
// Not reached: instructions (RDRAND), the 16 bytes that the kernel gives a program at its start
// (AT_RANDOM), and what the C library draws for itself (the names of mkstemp).
#pragma once

#include <cstddef>
#include <cstdint>

#include "preload/core/control.h"
#include "preload/interpose/path_objects.h"

namespace esox {

ptrdiff_t fill_random(void* buffer, size_t bytes);  // returns `bytes`

inline constexpr uint64_t kRandom = path_object_of("/dev/random");
inline constexpr uint64_t kUrandom = path_object_of("/dev/urandom");

// An open file that is /dev/random or /dev/urandom.
inline bool is_random_device(int fd) {
  const uint64_t object = descriptor_object(fd);
  if (object != kRandom && object != kUrandom) return false;
  return attended();
}

}  // namespace esox
