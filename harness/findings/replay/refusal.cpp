// SPDX-License-Identifier: Apache-2.0
#include "harness/findings/replay/refusal.h"

#include <fmt/format.h>

#include <algorithm>

#include "analysis/linearization.h"
#include "analysis/rows.h"
#include "harness/records/synopsis.h"

namespace esox {
namespace {

constexpr size_t kShownStatement = 80;

bool accepted(const Outcome& outcome, const RequestId& id) {
  const Output& output = outcome.outputs.at(id.client).at(id.request);
  return output.answered && output.error == 0;
}

bool accepted_at_home(const Finding& finding, const SerialRun& run, const RequestId& id) {
  return std::ranges::any_of(finding.orders, [&](const FindingOrder& order) {
    return order.order == run.order && order.without == run.without && order.infeasible.empty() &&
           accepted(order.outcome, id);
  });
}

// What the request is answered in all serial orders that were executed here, if that is an error,
// and one of the same orders was accepted where the finding was found.
const Output* refused_here(const Finding& finding, const std::vector<SerialRun>& runs,
                           const RequestId& id) {
  const Output* refusal = nullptr;
  bool at_home = false;
  for (const SerialRun& run : runs) {
    if (!run.infeasible.empty() || run.without.contains(id)) continue;
    if (accepted(run.first, id)) return nullptr;
    const Output& output = run.first.outputs.at(id.client).at(id.request);
    if (output.answered) refusal = &output;
    at_home = at_home || accepted_at_home(finding, run, id);
  }
  return at_home ? refusal : nullptr;
}

}  // namespace

std::string refused_request(const Finding& finding, const std::vector<SerialRun>& runs) {
  const auto& clients = finding.input.input.clients;
  for (size_t c = 0; c < clients.size(); ++c) {
    for (size_t r = 0; r < clients[c].requests.size(); ++r) {
      const Output* refusal = refused_here(finding, runs, {c, r});
      if (refusal == nullptr) continue;
      return fmt::format("{} ({}): {}", request_name(c, r, client_names(finding.input.input)),
                         printable_cut(clients[c].requests[r].text, kShownStatement),
                         reply_line(*refusal));
    }
  }
  return "";
}

bool are_all_orders(const Input& input, const std::vector<SerialRun>& runs) {
  std::vector<size_t> requests;
  for (const InputClient& client : input.clients) requests.push_back(client.requests.size());
  return !all_orders(requests, runs.size()).too_many;
}

}  // namespace esox
