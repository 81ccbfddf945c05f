// SPDX-License-Identifier: Apache-2.0
// The servers that files are read for in tests of rooms that know none: all that come with esox.
#pragma once

#include "filters/known_servers.h"
#include "targets/registry.h"

namespace esox {

inline KnownServers known_servers() {
  KnownServers known;
  for (const Target* target : targets())
    known.push_back({&target->language(), target->components()});
  return known;
}

inline Languages languages() {
  return languages_of(known_servers());
}

}  // namespace esox
