// SPDX-License-Identifier: Apache-2.0
#include "harness/engine/known_servers.h"

#include "targets/registry.h"

namespace esox {

KnownServers known_servers() {
  KnownServers servers;
  for (const Target* target : targets()) {
    servers.push_back({&target->language(), target->components()});
  }
  return servers;
}

Languages languages() {
  return languages_of(known_servers());
}

}  // namespace esox
