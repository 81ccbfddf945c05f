// SPDX-License-Identifier: Apache-2.0
#include "preload/interpose/random.h"

#include <errno.h>
#include <string.h>
#include <sys/random.h>

#include "preload/core/real.h"
#include "preload/scheduler/thread_table.h"

extern "C" {
uint32_t arc4random() noexcept;  // glibc 2.36
void arc4random_buf(void*, size_t) noexcept;
uint32_t arc4random_uniform(uint32_t) noexcept;
}

namespace esox {
namespace {

ESOX_REAL(getrandom);

constexpr size_t kMostEntropy = 256;  // getentropy(3)

std::atomic<uint64_t> g_drawn{0};   // by all threads outside
thread_local uint64_t t_drawn = 0;  // by this one, under control

// SplitMix64 (Steele et al., 2014) of whose draw this is.
uint64_t next() {
  const ControlledThread* t = self();
  const uint64_t whose = t == nullptr ? 0 : uint64_t{t->id} + 1;
  uint64_t x = whose << 40;
  x += t == nullptr ? g_drawn.fetch_add(1, std::memory_order_relaxed) : t_drawn++;
  x = (x + 1) * 0x9e3779b97f4a7c15u;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

}  // namespace

ptrdiff_t fill_random(void* buffer, size_t bytes) {
  auto* to = static_cast<char*>(buffer);
  for (size_t done = 0; done < bytes; done += sizeof(uint64_t)) {
    const uint64_t drawn = next();
    memcpy(to + done, &drawn, bytes - done < sizeof drawn ? bytes - done : sizeof drawn);
  }
  return static_cast<ptrdiff_t>(bytes);
}

}  // namespace esox

using namespace esox;

ESOX_HOOK ssize_t getrandom(void* buffer, size_t bytes, unsigned flags) {
  return attended() ? fill_random(buffer, bytes) : real_getrandom(buffer, bytes, flags);
}

ESOX_HOOK int getentropy(void* buffer, size_t bytes) {
  if (bytes > kMostEntropy) {
    errno = EIO;
    return -1;
  }
  return getrandom(buffer, bytes, 0) == static_cast<ssize_t>(bytes) ? 0 : -1;
}

ESOX_HOOK void arc4random_buf(void* buffer, size_t bytes) noexcept {
  auto* to = static_cast<char*>(buffer);
  while (bytes > 0) {
    const size_t part = bytes < kMostEntropy ? bytes : kMostEntropy;
    if (getentropy(to, part) != 0) __builtin_trap();  // as the C library, which ends the program
    to += part;
    bytes -= part;
  }
}

ESOX_HOOK uint32_t arc4random() noexcept {
  uint32_t drawn = 0;
  arc4random_buf(&drawn, sizeof drawn);
  return drawn;
}

// Without the numbers below 2^32 modulo `bound`, all remainders are equally frequent.
ESOX_HOOK uint32_t arc4random_uniform(uint32_t bound) noexcept {
  if (bound < 2) return 0;
  const uint32_t least = -bound % bound;
  uint32_t drawn = 0;
  do {
    drawn = arc4random();
  } while (drawn < least);
  return drawn % bound;
}
