// SPDX-License-Identifier: Apache-2.0
#include "harness/engine/shared_objects.h"

#include <algorithm>
#include <map>
#include <set>

#include "preload/strategy/conflict.h"

namespace esox {
namespace {

struct Used {
  ObjectPoints points{};
  std::set<std::pair<ThreadId, OpKind>> by;
};

// Files are told by a hash of all 64 bits; of everything else the trace has an address, with the
// number of its initialisation above it (preload/scheduler/trace.h).
uint64_t object_of(const TraceEvent& event) {
  constexpr uint64_t kAddress = (uint64_t{1} << 48) - 1;
  const bool file = event.kind >= OpKind::kFileOpen && event.kind <= OpKind::kDirectoryMake;
  return file ? event.object : event.object & kAddress;
}

bool shared(const Used& used) {
  return std::ranges::any_of(used.by, [&](const auto& one) {
    return std::ranges::any_of(used.by, [&](const auto& other) {
      return one.first != other.first &&
             conflict({one.first, one.second, 1, 0}, {other.first, other.second, 1, 0});
    });
  });
}

}  // namespace

std::vector<ObjectPoints> shared_objects_of(std::span<const TraceEvent> trace) {
  std::vector<Used> all;
  std::map<uint64_t, size_t> places;
  for (const TraceEvent& event : trace) {
    const uint64_t object = object_of(event);
    if (object == 0 || event.thread >= kMaxClients || is_release(event.kind)) continue;
    const auto [place, added] = places.try_emplace(object, all.size());
    if (added) all.emplace_back().points.object = object;
    Used& used = all[place->second];
    ++used.points.of_thread[event.thread];
    used.by.emplace(event.thread, event.kind);
  }
  std::vector<ObjectPoints> result;
  for (const Used& used : all) {
    if (result.size() < kMaxSharedObjects && shared(used)) result.push_back(used.points);
  }
  return result;
}

}  // namespace esox
