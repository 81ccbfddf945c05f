// SPDX-License-Identifier: Apache-2.0
#include "analysis/background_work.h"

#include <algorithm>
#include <cstdint>
#include <unordered_map>

#include "analysis/object_use.h"
#include "preload/protocol/layout.h"

namespace esox {

bool has_background_work(const ExecutionRecord& record, size_t clients) {
  std::unordered_map<uint64_t, Use> of_clients;
  for (const TraceEvent& event : record.trace) {
    const Use use = use_of(event.kind);
    if (event.thread >= clients || event.object == 0 || use == Use::kNone) continue;
    Use& most = of_clients[event.object];
    most = std::max(most, use);
  }
  return std::ranges::any_of(record.trace, [&](const TraceEvent& event) {
    if (event.thread < kMaxClients || event.object == 0) return false;
    const auto met = of_clients.find(event.object);
    const Use use = use_of(event.kind);
    if (met == of_clients.end() || use == Use::kNone) return false;
    return use == Use::kChanges || met->second == Use::kChanges;
  });
}

}  // namespace esox
