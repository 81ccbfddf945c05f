// SPDX-License-Identifier: Apache-2.0
#include "analysis/ended_server.h"

#include <algorithm>

#include "inputs/signals.h"

namespace esox {

RequestSet ending_signal(const Input& input) {
  if (!ends_server(input.clients)) return {};
  const size_t client = *signalling_client(input.clients);
  return {{client, input.clients[client].requests.size() - 1}};
}

void leave_out_unserved(const Input& input, const ExecutionRecord& record, Units& units) {
  units.left_out = ending_signal(input);
  units.server_ends = !units.left_out.empty();
  for (size_t c = 0; units.server_ends && c < record.stamps.size(); ++c) {
    for (size_t r = 0; r < record.stamps[c].size(); ++r) {
      if (record.stamps[c][r].invocation == kNever) units.left_out.insert({c, r});
    }
  }
}

// One of each client at most, so there are few.
std::vector<RequestSet> choices_of(const RequestSet& cut_off) {
  std::vector<RequestSet> choices(1);
  for (const RequestId& id : cut_off) {
    for (size_t i = choices.size(); i-- > 0;) {
      choices.push_back(choices[i]);
      choices.back().insert(id);
    }
  }
  choices.erase(choices.begin());
  return choices;
}

}  // namespace esox
