// SPDX-License-Identifier: Apache-2.0
// Where two clients meet inside the server: pairs of call sites at which different clients used the
// same lock, condition variable or file, one of them in a way that the other can notice.
//
// Seen in one execution, be it a serial one: what both touch then, both can touch at the same time.
// The pairs tell inputs apart by what they exercise, which no look at their statements can (the
// idea of Snowboard, SOSP 2021, which pairs by shared memory; here by synchronisation).
#pragma once

#include <cstdint>
#include <vector>

#include "analysis/execution_record.h"

namespace esox {

// A pair of sites, hashed; sites relative to their module, so that equal servers give equal ones.
using Contact = uint32_t;

// Of two sites by their stable hashes, in either order.
Contact contact_of(uint64_t a, uint64_t b);

inline constexpr size_t kMostContacts = 4096;  // of one execution; the smallest are kept

// Ascending, each once. Clients are those below `clients`.
std::vector<Contact> contacts(const ExecutionRecord& record, size_t clients);

}  // namespace esox
