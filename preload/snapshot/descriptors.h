// SPDX-License-Identifier: Apache-2.0
// Descriptors of a child: a fork shares the open files themselves with its parent (positions,
// locks, contents), so whatever could be changed by a child is made anew for it, under the same
// number.
//
// What has to be done was found out by the harness from /proc/PID/fd (harness/snapshot/plan.h) and
// is done here in the order in which it was told.
#pragma once

#include "preload/protocol/snapshot.h"

namespace esox {

class DescriptorTable {
 public:
  bool add(const DescriptorImage& image);  // false: the table is full
  void clear() { count_ = 0; }

  // In the child, before it has any other thread. `passed` are the sockets that came with the
  // request to fork; they are closed afterwards. False: the reply says why.
  bool restore(const int* passed, uint32_t passed_count, SnapshotReply& reply) const;

 private:
  DescriptorImage images_[kMaxDescriptorImages];
  uint32_t count_ = 0;
};

}  // namespace esox
