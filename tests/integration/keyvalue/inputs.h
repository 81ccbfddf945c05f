// SPDX-License-Identifier: Apache-2.0
// Inputs of the key-value server, made of requests; for executions inside the process.
#pragma once

#include <string>
#include <vector>

#include "inputs/input.h"
#include "targets/registry.h"
#include "tests/keyvalue/target.h"

namespace esox {

// Known to the process from the first call on.
inline const Target& keyvalue_target() {
  static const KeyvalueTarget target;
  static const bool added = (add_target(target), true);
  static_cast<void>(added);
  return target;
}

inline ConcreteInput keyvalue_input(const std::string& id,
                                    const std::vector<std::vector<std::string>>& clients) {
  ConcreteInput concrete;
  concrete.input.language = &keyvalue_target().language();
  concrete.input.id = id;
  concrete.input.origin = "a test";
  for (const std::vector<std::string>& requests : clients) {
    InputClient& client = concrete.input.clients.emplace_back();
    client.name = std::string(1, static_cast<char>('A' + concrete.input.clients.size() - 1));
    for (const std::string& request : requests) client.requests.push_back({request, false});
  }
  return concrete;
}

}  // namespace esox
