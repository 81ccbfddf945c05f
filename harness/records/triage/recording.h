// SPDX-License-Identifier: Apache-2.0
// From the folder of a hunt into the triage store: what a hunt does at its end, and
// `esox triage add` later.
//
// Counts are those of hunt.db; findings are those that lie in OUT/findings, also those of a batch
// that was cut short.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "harness/records/triage/store.h"

namespace esox {

// Of esox-out/2026-11-21-190319: esox-out/findings.db.
std::filesystem::path default_store(const std::filesystem::path& out);

// All that a hunt adds to a store. Throws DatabaseError (hunt.db: unreadable, at work) and
// FindingError.
HuntRecord read_hunt_record(const std::filesystem::path& out);

// Throws DatabaseError (store or hunt.db: unreadable, at work, full) and FindingError.
std::vector<Filed> record_hunt(Store& store, const std::filesystem::path& out);

// For people: how many of a hunt's findings are new, known and so on, and which need a look.
std::string filed_text(const std::vector<Filed>& filed, const std::filesystem::path& store);

}  // namespace esox
