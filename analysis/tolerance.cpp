// SPDX-License-Identifier: Apache-2.0
#include "analysis/tolerance.h"

#include <algorithm>

#include "analysis/transactions.h"

namespace esox {
namespace {

bool is_returned(std::span<const SerialRun> runs, const RequestId& id, uint32_t error) {
  return std::any_of(runs.begin(), runs.end(), [&](const SerialRun& run) {
    const auto& outputs = run.first.outputs;
    if (!run.infeasible.empty() || !run.without.empty()) return false;
    if (id.client >= outputs.size() || id.request >= outputs[id.client].size()) return false;
    const Output& output = outputs[id.client][id.request];
    return output.answered && output.error == error;
  });
}

}  // namespace

RequestSet tolerated_requests(const ExecutionRecord& record, std::span<const SerialRun> runs,
                              const Forgiveness& forgiveness) {
  constexpr uint32_t kSuccess = 0;
  RequestSet tolerated;
  if (forgiveness.empty()) return tolerated;
  const auto& outputs = record.outcome.outputs;
  for (size_t client = 0; client < outputs.size(); ++client) {
    for (size_t request = 0; request < outputs[client].size(); ++request) {
      const Output& output = outputs[client][request];
      const RequestId id{client, request};
      if (!output.answered || output.error == kSuccess) continue;
      if (forgiveness.tolerating(client, request, output.error).empty()) continue;
      if (is_returned(runs, id, output.error) || !is_returned(runs, id, kSuccess)) continue;
      const RequestSet undone = undone_with(record.units, id);
      tolerated.insert(undone.begin(), undone.end());
      for (size_t next = request + 1; forgiveness.tells_of_last(client, next); ++next) {
        tolerated.insert({client, next});
      }
    }
  }
  return tolerated;
}

}  // namespace esox
