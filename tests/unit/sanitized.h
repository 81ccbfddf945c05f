// SPDX-License-Identifier: Apache-2.0
// Under a sanitizer a test takes five to twenty times as long, and what it repeats is there to say
// something about truth, not about memory: a tenth of it is enough.
#pragma once

#include <cstdint>

namespace esox {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr uint64_t repeated(uint64_t times) {
  return times / 10;
}
#else
constexpr uint64_t repeated(uint64_t times) {
  return times;
}
#endif

}  // namespace esox
