// SPDX-License-Identifier: Apache-2.0
// Version, limits and names of the protocol between harness and preload.
//
// The protocol is one shared mapping (control_block.h) of fixed layout without pointers. Both sides
// are built from these headers; `kProtocolVersion` guards against a preload of another build.
#pragma once

#include <cstdint>

namespace esox {

inline constexpr uint64_t kProtocolMagic = 0x6b636f6c78736f65;  // "esoxlock", little endian
inline constexpr uint32_t kProtocolVersion = 8;

// The environment variable that names the file to map. Without it the preload stays asleep.
inline constexpr const char* kControlVariable = "ESOX_CONTROL";

// Limits. Reaching one is never silent: it marks the execution degraded (DegradedReason).
inline constexpr uint32_t kMaxSlots = 128;                   // controlled threads of one execution
inline constexpr uint32_t kMaxClients = 8;                   // clients of one input
inline constexpr uint32_t kOwnConnection = kMaxClients + 1;  // ControlBlock::connecting_client
inline constexpr uint32_t kMaxSharedObjects = 128;           // told to a strategy
inline constexpr uint32_t kMaxRequests = 64;                 // requests of one client
inline constexpr uint32_t kMaxChoices = 1u << 16;            // switches of one execution
inline constexpr uint32_t kMaxValues = 1u << 12;             // data choices of one execution
inline constexpr uint32_t kMaxTraceEvents = 1u << 18;        // 8 MiB, only touched pages count
inline constexpr uint32_t kMaxWaiting = 1u << 18;            // records of protocol/waiting.h
inline constexpr uint32_t kMaxNameBytes = 1u << 20;          // paths seen, for reading the trace
inline constexpr uint32_t kMaxRootBytes = 256;               // of the server's private folder
inline constexpr uint32_t kMaxCycle = 16;                    // members of a reported wait-for cycle

}  // namespace esox
