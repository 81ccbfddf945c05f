// SPDX-License-Identifier: Apache-2.0
// Where clients get in each other's way: operations on one object by different clients, at least
// one of which changes it, that no order but the schedule's keeps apart (happens_before.h).
//
// Only around these can the order of an execution matter, and they are few (Yuan, PhD thesis 2020,
// section 4.2.3: one in sixteen to twenty operations). What one execution shows is a prediction for
// the next ones of the same input: the same client will conflict where it did.
//
// A signature is what can be said of an operation that stays the same in every execution, whichever
// process it is: which client, at which place of the program, on which file. Yuan found the client
// worth up to 1.7 times the hits (table 4.5: {P, PC} against PC).
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <set>
#include <vector>

#include "analysis/execution_record.h"
#include "analysis/stable_sites.h"

namespace esox {

struct ConflictSignature {
  StableSite site;
  uint64_t object = 0;  // of a file, the hash of its path; 0: any object
  ThreadId client = 0;
  auto operator<=>(const ConflictSignature&) const = default;  // NOLINT(modernize-use-nullptr)
};

using ConflictTable = std::set<ConflictSignature>;

// More than a filter can hold are not kept: an input that conflicts everywhere needs none.
inline constexpr size_t kMostConflicts = 4096;

// Adds what `record` shows of the clients below `clients`.
void learn_conflicts(const ExecutionRecord& record, size_t clients, ConflictTable& table);

// The table for the preload (protocol/conflict_filter.h) of a process with these modules.
std::vector<uint64_t> filter_keys(const ConflictTable& table, const std::vector<Module>& modules);

// By client: the share of the points which this execution offered that would have been offered
// under a filter of this table; 1 where there were none.
std::vector<double> share_offered(const ConflictTable& table, const ExecutionRecord& record,
                                  size_t clients);

}  // namespace esox
