// SPDX-License-Identifier: Apache-2.0
// What readers of rules and findings must know of the servers there are: how their requests are
// spoken of, and what their states are made of. So a rule that can match nothing is told from one
// that matches nothing yet.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "inputs/languages.h"
#include "summaries/component.h"

namespace esox {

struct KnownServer {
  const RequestLanguage* language = nullptr;
  std::span<const ComponentFacts> components;  // beside those of any server

  std::vector<ComponentFacts> all_components() const;
};

// Not empty. The first is meant where a file names no server.
using KnownServers = std::vector<KnownServer>;

Languages languages_of(const KnownServers& servers);

// Throws InputError with the nearest name if there is none; `file` and `line` are for that.
const KnownServer& server_of(const KnownServers& servers, std::string_view name,
                             const std::string& file = "", int line = 0);

}  // namespace esox
