// SPDX-License-Identifier: Apache-2.0
// What earlier executions of the same input told about one shared object: how many points each
// thread has on it, releases left out. Plain data that crosses the protocol.
#pragma once

#include <cstdint>

#include "preload/protocol/layout.h"

namespace esox {

struct ObjectPoints {
  uint64_t object;                  // as in Pending: the same in equal executions of one snapshot
  uint32_t of_thread[kMaxClients];  // of the first threads; others are not known
};
static_assert(sizeof(ObjectPoints) == 40);

}  // namespace esox
