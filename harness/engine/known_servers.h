// SPDX-License-Identifier: Apache-2.0
// What readers of files must know of the servers that this esox has (targets/registry.h).
#pragma once

#include "filters/known_servers.h"
#include "inputs/languages.h"

namespace esox {

Languages languages();
KnownServers known_servers();

}  // namespace esox
