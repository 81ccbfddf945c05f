// SPDX-License-Identifier: Apache-2.0
// The digest of one annotated element, the same in the server's process and in esox.
#pragma once

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <cstdint>
#include <cstring>

namespace esox {

struct ElementDigest {
  uint64_t low;
  uint64_t high;
};

// Key and value together; their lengths keep them apart.
inline ElementDigest element_digest(const void* key, uint32_t key_bytes, const void* value,
                                    uint32_t value_bytes) {
  if (key_bytes == 0) {
    const XXH128_hash_t hash = XXH3_128bits_withSeed(value, value_bytes, 0);
    return {hash.low64, hash.high64};
  }
  const XXH128_hash_t of_key = XXH3_128bits_withSeed(key, key_bytes, 1);
  const XXH128_hash_t hash =
      XXH3_128bits_withSeed(value, value_bytes, of_key.low64 ^ (of_key.high64 << 1));
  return {hash.low64, hash.high64};
}

inline unsigned __int128 chained(unsigned __int128 chain, const ElementDigest& element) {
  unsigned char both[32];
  memcpy(both, &chain, 16);
  memcpy(both + 16, &element, 16);
  const XXH128_hash_t hash = XXH3_128bits(both, sizeof both);
  return (static_cast<unsigned __int128>(hash.high64) << 64) | hash.low64;
}

}  // namespace esox
