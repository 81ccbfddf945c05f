// SPDX-License-Identifier: Apache-2.0
#include "analysis/context_role.h"

#include <algorithm>
#include <map>

#include "preload/protocol/layout.h"

namespace esox {

std::string context_role(const ExecutionRecord& record, ThreadId thread, Symbols& symbols) {
  if (thread < kMaxClients || thread == kNoThread) return "";
  std::string place;
  std::string role;
  std::map<std::string, size_t> steps;
  for (const TraceEvent& event : record.trace) {
    if (event.thread != thread) continue;
    const std::string function = event.site == 0 ? "" : symbols.function(event.site);
    if (role.empty()) {
      const bool waits = event.kind == OpKind::kCondWait && !function.empty();
      place = waits ? function : "";
      role = waits ? "waits in " + function : "made meanwhile";
    }
    if (!function.empty() && function != place) ++steps[function];
  }
  if (steps.empty()) return role;
  const auto most = std::ranges::max_element(
      steps, [](const auto& a, const auto& b) { return a.second < b.second; });
  return role + ", works mostly in " + most->first;
}

}  // namespace esox
