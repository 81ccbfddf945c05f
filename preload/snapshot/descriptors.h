// SPDX-License-Identifier: Apache-2.0
// Descriptors of a child: a fork shares the open files themselves with its parent (positions,
// locks, contents), so whatever could be changed by a child is made anew for it, under the same
// number.
//
// What has to be done was found out by the harness from /proc/PID/fd
// (harness/engine/snapshot/plan.h) and is done here in the order in which it was told.
#pragma once

#include "preload/protocol/snapshot.h"

namespace esox {

class DescriptorTable {
 public:
  bool add(const DescriptorImage& image);  // false: the table is full
  void clear() { count_ = 0; }

  // Whether restore() makes it.
  bool has(int fd) const;

  // In the child, before any other thread of it goes on. `passed` are the sockets that came with
  // the request to fork; they are closed afterwards. Some contents are copied from the template's
  // own open files, inherited under the same numbers; a child that is rewound has others there by
  // then. So if it is `rewindable` it keeps them under numbers of its own, in `kept`
  // (kMaxDescriptorImages of them, by image), and with `rewound` it takes them from there.
  // False: the reply says why.
  enum class Life { kOnly, kRewindable, kRewound };
  bool restore(const int* passed, uint32_t passed_count, Life life, int* kept,
               SnapshotReply& reply) const;

 private:
  void hold_numbers() const;

  DescriptorImage images_[kMaxDescriptorImages];
  uint32_t count_ = 0;
};

}  // namespace esox
