// SPDX-License-Identifier: Apache-2.0
#include "analysis/tolerance.h"

#include <algorithm>
#include <functional>

#include "analysis/transactions.h"
#include "filters/rewrite.h"

namespace esox {
namespace {

// Whether some serial order gives the request a reply that is so.
bool is_returned(std::span<const SerialRun> runs, const RequestId& id,
                 const std::function<bool(const Output&)>& is_so) {
  return std::ranges::any_of(runs, [&](const SerialRun& run) {
    const auto& outputs = run.first.outputs;
    if (!run.infeasible.empty() || !run.without.empty()) return false;
    if (id.client >= outputs.size() || id.request >= outputs[id.client].size()) return false;
    const Output& output = outputs[id.client][id.request];
    return output.answered && is_so(output);
  });
}

// Whether it failed in a way that a rule tolerates, and that no serial order gives.
bool is_tolerated(const Output& output, const RequestId& id, std::span<const SerialRun> runs,
                  const RulesInForce::Rules& rules) {
  const auto failed_alike = [&](const Output& one) {
    return one.error == output.error && std::ranges::any_of(rules, [&](const Rule* rule) {
             return tells_of_failure(*rule, one);
           });
  };
  return !rules.empty() && !is_returned(runs, id, failed_alike);
}

}  // namespace

RequestSet tolerated_requests(const ExecutionRecord& record, std::span<const SerialRun> runs,
                              const Forgiveness& forgiveness) {
  RequestSet tolerated;
  if (forgiveness.empty()) return tolerated;
  const auto& outputs = record.outcome.outputs;
  for (size_t client = 0; client < outputs.size(); ++client) {
    for (size_t request = 0; request < outputs[client].size(); ++request) {
      const Output& output = outputs[client][request];
      const RequestId id{client, request};
      if (!output.answered) continue;
      const auto rules = forgiveness.tolerating(client, request, output);
      if (!is_tolerated(output, id, runs, rules)) continue;
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
