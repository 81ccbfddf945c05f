// SPDX-License-Identifier: Apache-2.0
// OUT/progress.json: a few numbers that a hunt replaces every few seconds, for those who watch it
// from another process (harness/nights/night). `runs` counts the executors' runs of any kind that
// have ended: while it grows, the hunt is at work.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "harness/records/counts.h"

namespace esox {

struct HuntProgress : HuntCounts {
  uint64_t runs = 0;
  uint64_t findings = 0;
  double seconds = 0;  // over all launches
  bool ended = false;  // its executions; findings may still be looked into
};

std::string progress_json(const HuntProgress& progress);
// Nothing if there is none, or if it is damaged.
std::optional<HuntProgress> read_progress(const std::filesystem::path& out);

}  // namespace esox
