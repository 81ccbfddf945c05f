// SPDX-License-Identifier: Apache-2.0
// The sync points that requests pass, and which of them to try for holding threads.
//
// Pure.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace esox {

struct SyncPoint {
  std::string name;
  unsigned hit = 1;  // since the request began
  bool operator==(const SyncPoint&) const = default;
};

// In the order in which a request passed them, from the server's trace of it (DBUG, keyword
// debug_sync_point).
std::vector<SyncPoint> points_in_trace(const std::string& trace);

// A request in which a thread is to be held.
struct HeldRequest {
  std::vector<SyncPoint> points;   // that it passes
  std::optional<unsigned> passed;  // so many of them until it is held; nothing: not known
};

// A point for each, the likeliest first: those nearest to where the threads are held otherwise.
std::vector<std::vector<SyncPoint>> point_choices(const std::vector<HeldRequest>& held);

}  // namespace esox
