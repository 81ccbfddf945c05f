// SPDX-License-Identifier: Apache-2.0
// Memory accesses as scheduling points: the harness's part of the contract (docs/lock-free.md).
//
// Only a program built with -fsanitize=thread and linked with libesox_tsan_rt tells its accesses.
// An access that is not offered is no decision and has no number: a replay needs the level and, for
// kConflicting, the sites of the execution that it repeats.
#pragma once

#include <cstdint>

namespace esox {

enum class AccessLevel : uint32_t {
  kAll = 0,          // every atomic and plain access, but plain ones to the thread's own stack
  kNone = 1,         // calls to libraries only, as of any other program
  kAtomics = 2,      // atomic operations
  kConflicting = 3,  // these, and plain accesses at the sites that are listed
};

inline constexpr uint32_t kMaxAccessSites = 4096;

// By the harness, before an execution. The sites follow in ControlBlock::access_sites.
struct AccessPlan {
  AccessLevel level;
  uint32_t learn;  // 1: note which plain sites touch what another thread has touched
  uint32_t site_count;
  uint32_t reserved;
};

// By the preload; with `learn`, the sites in ControlBlock::learned_sites.
struct AccessResults {
  uint32_t told;  // 1: the program was built for it
  uint32_t reserved;
  uint32_t learned_count;
  uint32_t sites_not_kept;  // there were more than kMaxAccessSites
  uint64_t forgotten;       // words whose accesses gave way to another word's
};

}  // namespace esox
