// SPDX-License-Identifier: Apache-2.0
// What passes between libesox_tsan_rt, which the compiler's calls reach, and the preload.
//
// The runtime owns one gate and shows it to the preload, if there is one in the process, as soon as
// it is loaded. The preload opens it while accesses are to be told and closes it again. A closed
// gate costs an access one comparison. Both are of one build; `version` tells if they are not.
#pragma once

#include <atomic>
#include <cstdint>

#include "preload/protocol/trace_event.h"

namespace esox {

inline constexpr uint32_t kGateVersion = 1;
inline constexpr uint32_t kSiteFilterBytes = 1u << 16;

// Which accesses are told. The numbers are compared: each kind tells all that those before it do.
enum class PlainAccesses : uint32_t {
  kUntold = 0,
  kListed = 1,  // those whose site's place in `listed` is not 0
  kTold = 2,
};

struct AccessGate {
  uint32_t version;
  std::atomic<uint32_t> atomics;  // 1: told
  std::atomic<PlainAccesses> plain;
  const uint8_t* listed;  // kSiteFilterBytes; other sites may share a place
  // Called just before the access; returns when it is to happen.
  void (*told)(OpKind kind, uint64_t address, uint64_t bytes, uint64_t site);
};

inline uint32_t place_of_site(uint64_t site) {
  return static_cast<uint32_t>((site * 0x9e3779b97f4a7c15u) >> 48);
}
static_assert(kSiteFilterBytes == 1u << 16);

}  // namespace esox

// Defined by the preload; weak in the runtime, which finds null where nobody listens.
extern "C" void esox_attach_access_gate(esox::AccessGate* gate);
