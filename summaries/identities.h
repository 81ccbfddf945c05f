// SPDX-License-Identifier: Apache-2.0
// Values that only mean "the same" or "another": memcached's unique numbers, row identities.
//
// They differ between executions that are equal in every other respect. Each distinct value gets a
// name by the order of its first appearance, "#1", "#2" ...; where appearances come in an order of
// the input (clients, requests, rows, then the state by key), two outcomes are named alike exactly
// if one can be made the other by exchanging values one for one.
#pragma once

#include <map>
#include <string>

#include "summaries/outcome.h"

namespace esox {

// The type of a column whose values are identities.
inline constexpr const char* kIdentityType = "identity";

class Identities {
 public:
  const std::string& name(const std::string& value);
  void name(Output& output);

  // Names all identities in the outputs, in order: of another outcome than before.
  void name_outputs(Outcome& outcome);

 private:
  std::map<std::string, std::string> names_;
};

}  // namespace esox
