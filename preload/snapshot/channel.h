// SPDX-License-Identifier: Apache-2.0
// The agent's end of the line to the harness (protocol/snapshot.h).
#pragma once

#include "preload/protocol/snapshot.h"

namespace esox {

struct Received {
  SnapshotRequest request;
  int passed[kMaxPassedSockets];  // ours from now on
  uint32_t passed_count;
};

// False at the end of file.
bool receive(Received& received);
// `passed`: a descriptor that goes with it; it stays ours. -1: none.
void answer(const SnapshotReply& reply, int passed = -1);
void close_passed(const Received& received);

}  // namespace esox
