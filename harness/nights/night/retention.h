// SPDX-License-Identifier: Apache-2.0
// What becomes of old nights: the hunts' memories, reports and logs go, the findings and the
// night's own summaries stay.
//
// Of a night's folder stay: night.json, changes.json, summary.*, esox.prom, and all below
// STAGE/findings - the triage store refers to these. Nothing outside OUT/nights is touched, and no
// symbolic link is followed.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "harness/nights/hunt_file/hunt_file.h"

namespace esox {

struct Pruned {
  std::vector<std::string> nights;
  uint64_t bytes = 0;
  std::vector<std::string> trouble;  // what could not be removed
};

// Bytes below OUT/nights.
uint64_t nights_bytes(const std::filesystem::path& out);

// `nights`: ids of all nights, the newest first; the first `spared` of them are never touched.
// Prunes those beyond `policy.nights`, then the oldest ones until no more than `policy.bytes` are
// taken.
Pruned prune_nights(const std::filesystem::path& out, const std::vector<std::string>& nights,
                    const Retention& policy, size_t spared);

// For a full disk: the oldest nights, until `enough` says so.
Pruned prune_oldest(const std::filesystem::path& out, const std::vector<std::string>& nights,
                    size_t spared, const std::function<bool()>& enough);

}  // namespace esox
