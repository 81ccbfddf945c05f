// SPDX-License-Identifier: Apache-2.0
// Where clients of many inputs have got in each other's way: what a new input may expect before it
// was executed at all.
//
// Other inputs have other clients, so of a signature (conflicts.h) the client is left out: whoever
// comes to the place is taken to conflict there. What stays is the call site and, of a file, its
// path; the site says what kind of object it is. A place that only one input showed is as likely
// that input's own as everybody's, and is not passed on.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <map>

#include "analysis/conflicts.h"

namespace esox {

struct PooledPlace {
  StableSite site;
  uint64_t object = 0;                                   // as in ConflictSignature
  auto operator<=>(const PooledPlace&) const = default;  // NOLINT(modernize-use-nullptr): false
};

// How many inputs showed each.
using ConflictPool = std::map<PooledPlace, uint64_t>;

inline constexpr uint64_t kFewestShown = 2;

// What one input has shown.
void pool_conflicts(const ConflictTable& table, ConflictPool& pool);

// Two pools that may know the same inputs: of each place the larger count.
void merge_pools(const ConflictPool& from, ConflictPool& pool);

// The places at which the clients of a new input are to be expected to conflict: those shown most
// often, as many as leave a filter half empty for what the input shows itself.
ConflictTable pooled_table(const ConflictPool& pool, size_t clients);

}  // namespace esox
