// SPDX-License-Identifier: Apache-2.0
// The random numbers of all strategies: small, fast, and the same on every machine.
//
// Generator: xoshiro256** (Blackman and Vigna 2018), its state filled by splitmix64 (Steele, Lea
// and Flood 2014) from one 64-bit seed, so that neighbouring seeds give unrelated streams. The
// standard library's distributions are not used: their results differ between libraries, and a seed
// printed on one machine must give the same schedule on another.
//
// Not for secrets. One owner at a time.
#pragma once

#include <cstdint>

namespace esox {

// Advances `state` and returns the next number of the splitmix64 sequence.
constexpr uint64_t splitmix64(uint64_t& state) {
  state += 0x9e3779b97f4a7c15u;
  uint64_t z = state;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

class Rng {
 public:
  explicit constexpr Rng(uint64_t seed = 0) {
    for (uint64_t& word : state_) word = splitmix64(seed);
  }

  // All 2^64 values, equally likely.
  constexpr uint64_t next() {
    const uint64_t result = rotate_left(state_[1] * 5, 7) * 9;
    const uint64_t shifted = state_[1] << 17;
    state_[2] ^= state_[0];
    state_[3] ^= state_[1];
    state_[1] ^= state_[2];
    state_[0] ^= state_[3];
    state_[2] ^= shifted;
    state_[3] = rotate_left(state_[3], 45);
    return result;
  }

  // Uniform in 0 .. bound-1, without bias; 0 if bound is 0. The high half of next() * bound is
  // uniform once the 2^64 mod bound smallest low halves are rejected (Lemire 2019).
  constexpr uint64_t below(uint64_t bound) {
    if (bound == 0) return 0;
    const uint64_t rejected = (0 - bound) % bound;
    for (;;) {
      const auto product = static_cast<unsigned __int128>(next()) * bound;
      if (static_cast<uint64_t>(product) >= rejected) return static_cast<uint64_t>(product >> 64);
    }
  }

  // Uniform in [0, 1), a multiple of 2^-53.
  constexpr double unit() { return static_cast<double>(next() >> 11) * 0x1.0p-53; }

 private:
  static constexpr uint64_t rotate_left(uint64_t x, int bits) {
    return (x << bits) | (x >> (64 - bits));
  }

  uint64_t state_[4] = {};
};

}  // namespace esox
