// SPDX-License-Identifier: Apache-2.0
#include "analysis/cut_off.h"

#include <algorithm>

#include "summaries/garbled.h"

namespace esox {
namespace {

bool is_missing_in(const SerialRun& run, const RequestId& id) {
  const auto& outputs = run.first.outputs;
  if (!run.infeasible.empty() || run.without.contains(id)) return false;
  if (id.client >= outputs.size() || id.request >= outputs[id.client].size()) return false;
  return is_missing(outputs[id.client][id.request]);
}

}  // namespace

RequestSet cut_off_requests(const ExecutionRecord& record, std::span<const SerialRun> runs) {
  RequestSet cut_off;
  if (record.ending.kind != EndingKind::kFinished) return cut_off;
  for (size_t client = 0; client < record.outcome.outputs.size(); ++client) {
    const auto& outputs = record.outcome.outputs[client];
    const auto first = std::ranges::find_if(outputs, is_missing);
    const RequestId id{client, static_cast<size_t>(first - outputs.begin())};
    if (first == outputs.end() || client >= record.stamps.size()) continue;
    const auto& stamps = record.stamps[client];
    if (id.request >= stamps.size() || stamps[id.request].invocation == kNever) continue;
    if (record.units.left_out.contains(id)) continue;
    const bool ends =
        record.units.server_ends ||
        std::ranges::any_of(runs, [&](const SerialRun& run) { return is_missing_in(run, id); });
    if (ends) cut_off.insert(id);
  }
  return cut_off;
}

}  // namespace esox
