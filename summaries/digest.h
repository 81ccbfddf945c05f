// SPDX-License-Identifier: Apache-2.0
// Digests of elements and of collections of elements: 128 bits, equal for equal contents.
//
// PIKE (P. Fonseca, Effective testing for concurrency bugs, 2015) keeps a set's digest by XOR of
// its elements' hashes and a sequence's by chaining SHA1. Both are kept in spirit and changed where
// they fail:
//
//  - XOR is its own inverse: two equal elements cancel, so the multisets {x, x} and {} and {y, y}
//    all look alike, and a row inserted twice looks like a row never inserted. BagDigest therefore
//    *adds* the elements' digests modulo 2^128. Addition commutes as XOR does (the order of the
//    elements does not count) and subtraction undoes it, but x + x is not 0. The number of elements
//    goes into the result as well.
//  - A sequence is chained with SHA-256 instead of the broken SHA1: S' = SHA256(S || H(e)).
//
// Elements are hashed by XXH3 with 128 bits: fast, well mixed, and not meant to stand up to someone
// who builds collisions on purpose; the contents here come from the tester's own server.
//
// All types are plain values; no call throws but for memory. Not thread-safe per object.
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <string>
#include <string_view>

namespace esox {

struct Digest {
  uint64_t high = 0;
  uint64_t low = 0;
  bool operator==(const Digest&) const = default;
  auto operator<=>(const Digest&) const = default;
};

// 32 lower-case hexadecimal digits.
std::string hex(const Digest& digest);

// The digest of some bytes.
Digest digest_of(std::string_view bytes);

// Of it so much as tells apart what there is of one kind: 16 digits.
std::string short_hex(std::string_view bytes);

// Joins fields so that no two different lists of fields give the same bytes: each field is preceded
// by its length, so ("ab", "c") and ("a", "bc") differ.
class FieldEncoder {
 public:
  FieldEncoder& append(std::string_view field);
  const std::string& bytes() const { return bytes_; }

 private:
  std::string bytes_;
};

// A multiset (or a set, or a map of unique keys) of element digests; order does not count.
class BagDigest {
 public:
  void add(const Digest& element);
  void remove(const Digest& element);  // an element added before
  uint64_t count() const { return count_; }
  Digest result() const;  // of sum and count

 private:
  Digest sum_;
  uint64_t count_ = 0;
};

// A sequence of element digests; order counts.
class SequenceDigest {
 public:
  void add(const Digest& element);
  uint64_t count() const { return count_; }
  Digest result() const;

 private:
  std::array<unsigned char, 32> chain_{};
  uint64_t count_ = 0;
};

}  // namespace esox
