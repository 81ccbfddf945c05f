// SPDX-License-Identifier: Apache-2.0
// What a child of a parked process must do with each of its descriptors, found out from /proc; and
// what makes a snapshot impossible, in words.
//
// Restored: files of the server's own folder (position, fcntl locks, unlinked ones with their
// contents), read-only files elsewhere, unix listening sockets, the clients' connections, eventfd,
// timerfd, epoll, pipes with both ends inside, duplicates of these. Left alone: devices without
// state. Everything else is refused: what is shared unnoticed would let one execution change
// another.
#pragma once

#include <sys/types.h>

#include <map>
#include <string>
#include <vector>

#include "preload/protocol/snapshot.h"

namespace esox {

struct PlanRequest {
  pid_t pid = -1;                 // as we see it; all its threads are parked
  std::string root;               // the server's own folder, as it sees it
  std::map<int, size_t> sockets;  // its descriptor -> number of the socket passed to each child
};

// In the order in which they are to be restored. Throws SnapshotRefused.
std::vector<DescriptorImage> plan_descriptors(const PlanRequest& request);

// Throws SnapshotRefused if the process shares writable memory with others, beyond the control
// block and files in `folder` (its own; empty: none), which it makes its own when it is parked.
void check_mappings(pid_t pid, const std::string& folder);

}  // namespace esox
