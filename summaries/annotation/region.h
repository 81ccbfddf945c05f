// SPDX-License-Identifier: Apache-2.0
// The memory in which an annotated server records its state: fixed layout, no pointers.
//
// It is the server's own private memory, so that a forked server goes on with a copy of it, and
// lies at a fixed address, where esox reads it from outside (region_copy.h).
//
// Each component has a running digest and a table for its inclusion checks; all share one log of
// operations, from which the reader (annotated_state.h) makes the exact elements. The log is
// written once from its beginning to its end. When it is full the digests go on, but no elements
// can be listed any more, and the sequences, which need them, become unavailable.
//
// A set, multiset or map is digested by adding its elements' XXH3 digests in two lanes of 64 bits,
// each modulo 2^64. Not by XOR, as PIKE does (digest.h): two equal elements would cancel,
// and {x, x}, {} and {y, y} look alike. Addition commutes as well, subtraction undoes it, and it
// needs no lock, since both lanes are swapped as one. Two different multisets collide with a
// probability of 2^-128 if some element's multiplicity differs by an odd number, and of 2^-(128-2v)
// if all differ by multiples of 2^v; two sets always with 2^-128. (XXH3 is not meant to resist
// someone who builds collisions on purpose.)
//
// A sequence's chain is S' = XXH3(S || H(e)) in the process: a cryptographic hash there would need
// a library that the server does not have, and 0.3 us a call. It only checks the log; the digest
// that is compared is SHA-256 over the listed elements, taken by the reader.
#pragma once

#include <atomic>
#include <cstdint>

namespace esox {

inline constexpr uint64_t kRegionMagic = 0x6d75736b636f7865;  // "exocksum", little endian
inline constexpr uint32_t kRegionVersion = 3;
inline constexpr const char* kRecordVariable = "ESOX_SUMMARY";  // set to anything: record
// Far from where programs, heaps, stacks and libraries are put, and from the shadows of sanitizers.
inline constexpr uint64_t kRegionAddress = uint64_t{0x20} << 40;

inline constexpr uint32_t kMaxAnnotatedComponents = 256;
inline constexpr uint32_t kMaxComponentNameBytes = 64;  // with its end
inline constexpr uint32_t kListedSlots = 1u << 15;
inline constexpr uint32_t kDenseSlots = 1u << 13;
inline constexpr uint32_t kDenseTries = 8;
inline constexpr uint32_t kBloomBlocks = 1u << 15;
inline constexpr uint64_t kOperationLogBytes = uint64_t{64} << 20;  // only touched pages count
// What is there before the server's main begins.
inline constexpr uint64_t kTouchedLogBytes = uint64_t{2} << 20;
inline constexpr uint32_t kTouchedTables = 4;

enum ComponentFault : uint32_t {
  kFaultListFull = 1u << 0,  // more distinct elements than ESOX_LISTED holds
  kFaultElementTooLong = 1u << 1,
  kFaultCounterFull = 1u << 2,  // of the Bloom filter
};

// Closed: free again, but with its place in the log. The free ones are the last.
enum class ComponentState : uint32_t { kFree = 0, kReady = 1, kClosed = 2 };

struct ListedSlot {
  std::atomic<uint64_t> element;  // 64 bits of its digest, never 0; 0: free
  std::atomic<uint64_t> count;    // high half: the generation it belongs to
};

using BloomBlock = unsigned __int128;  // 8 counters of 16 bits

struct alignas(64) AnnotatedComponent {
  std::atomic<ComponentState> state;
  uint32_t kind;                     // esox_kind
  uint32_t inclusion;                // esox_inclusion
  std::atomic<uint32_t> generation;  // grows with each clear
  char name[kMaxComponentNameBytes];
  alignas(64) unsigned __int128 lanes;  // two of 64 bits
  std::atomic<uint64_t> absent;         // removals of what was not there
  std::atomic<uint32_t> faults;         // ComponentFault bits
  alignas(16) unsigned __int128 chain;  // of appended elements
};

// One operation. `head` is written last: its bytes are only valid once it is not 0.
struct alignas(8) LoggedOperation {
  std::atomic<uint64_t> head;  // whole size (32 bits), component (16), operation (8), 1
  uint32_t key_bytes;
  uint32_t value_bytes;
  // key, value, padded to a multiple of 8
};

struct SummaryRegion {
  uint64_t magic;
  uint32_t version;
  uint32_t bytes_of_components;   // guards against another layout
  std::atomic<uint32_t> naming;   // 1: a thread is giving or taking a name; none waits in there
  std::atomic<uint32_t> refused;  // opened in vain: beyond the limit, bad name, other kind
  alignas(64) std::atomic<uint64_t> log_used;  // past kOperationLogBytes: some are missing
  AnnotatedComponent components[kMaxAnnotatedComponents];
  union alignas(4096) Inclusion {
    ListedSlot listed[kListedSlots];
    BloomBlock bloom[kBloomBlocks];
  } inclusion[kMaxAnnotatedComponents];
  alignas(64) unsigned char log[kOperationLogBytes];
};

constexpr uint64_t low_lane(unsigned __int128 lanes) {
  return static_cast<uint64_t>(lanes);
}
constexpr uint64_t high_lane(unsigned __int128 lanes) {
  return static_cast<uint64_t>(lanes >> 64);
}
constexpr unsigned __int128 lanes_of(uint64_t low, uint64_t high) {
  return static_cast<unsigned __int128>(high) << 64 | low;
}

static_assert(std::atomic<uint64_t>::is_always_lock_free);

}  // namespace esox
