// SPDX-License-Identifier: Apache-2.0
#include "analysis/standstill.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "preload/protocol/data_choice.h"

namespace esox {
namespace {

bool ends_wait(const DataChoice& choice) {
  return choice.kind == DataChoiceKind::kSpuriousWake ||
         choice.kind == DataChoiceKind::kEarlyTimeout;
}

}  // namespace

std::optional<size_t> standstill_of(const ExecutionRecord& record) {
  const std::vector<TraceEvent>& trace = record.trace;
  std::set<std::tuple<ThreadId, OpKind, uint64_t, uint64_t>> known;
  size_t last = 0;
  for (size_t i = 0; i < trace.size(); ++i) {
    const TraceEvent& event = trace[i];
    if (known.emplace(event.thread, event.kind, event.site, event.object).second) last = i;
  }
  if (trace.empty() || last >= trace.size() - trace.size() / 10) return std::nullopt;
  return last;
}

// A thread's choices lie in the order in which it took them.
std::vector<uint64_t> values_before_standstill(const ExecutionRecord& record) {
  const std::optional<size_t> last_new = standstill_of(record);
  if (!last_new) return record.values;
  std::map<ThreadId, size_t> later;
  for (size_t i = *last_new + 1; i < record.trace.size(); ++i) {
    const TraceEvent& event = record.trace[i];
    if ((event.flags & kTraceUnsignalled) != 0) ++later[event.thread];
  }
  std::vector<uint64_t> needed = record.values;
  std::ranges::reverse(needed);
  std::erase_if(needed, [&](uint64_t value) {
    const DataChoice choice = choice_of_value(value);
    return ends_wait(choice) && later[choice.thread] > 0 && later[choice.thread]-- > 0;
  });
  std::ranges::reverse(needed);
  return needed;
}

}  // namespace esox
