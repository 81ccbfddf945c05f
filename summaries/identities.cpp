// SPDX-License-Identifier: Apache-2.0
#include "summaries/identities.h"

namespace esox {

const std::string& Identities::name(const std::string& value) {
  const auto [known, fresh] = names_.try_emplace(value);
  if (fresh) known->second = "#" + std::to_string(names_.size());
  return known->second;
}

void Identities::name(Output& output) {
  for (ResultSet& result : output.results) {
    for (Row& row : result.rows) {
      for (size_t i = 0; i < row.size() && i < result.columns.size(); ++i) {
        if (row[i] && result.columns[i].type == kIdentityType) row[i] = name(*row[i]);
      }
    }
  }
}

void Identities::name_outputs(Outcome& outcome) {
  names_.clear();
  for (auto& client : outcome.outputs) {
    for (Output& output : client) name(output);
  }
}

}  // namespace esox
