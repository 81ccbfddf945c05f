// SPDX-License-Identifier: Apache-2.0
// What the kernel holds for a forked process beyond its memory, threads and descriptors' contents:
// noted when it comes to life, brought back when it is rewound (rewind.h), as far as a server may
// change it.
//
// Brought back: the program break, interval timers, what signals do, umask, which descriptors are
// open, signals that wait to be delivered (a process just forked has none), the number that the
// next thread gets (where the kernel allows it). A reason not to rewind: another working folder,
// timers by timer_create, processes of its own, a descriptor without state that is another file.
// What lies where in memory is not looked at here (address_space.h).
#pragma once

#include <sys/types.h>

#include <cstdint>

#include "preload/protocol/snapshot.h"
#include "preload/snapshot/descriptors.h"

namespace esox {

// What waits for this thread to be delivered, while all signals are blocked, never is.
void discard_signals();

// Lies in memory that is all zeros at first.
class KernelState {
 public:
  // By the process's only thread. `passing`: a descriptor that is about to be closed; -1: none.
  // False: there is too much of it. No thread that comes later gets a number up to
  // `highest_thread`, of those that are about to be made: where one of these had ended, another
  // would be taken for it.
  bool note(const DescriptorTable& descriptors, int passing, uint32_t highest_thread);
  // By the only thread that still moves. False: see the reply.
  bool bring_back(SnapshotReply& reply) const;
  // Whether it was at birth.
  bool was_open(int fd) const;

 private:
  static constexpr int kSignals = 64;
  static constexpr uint32_t kMaxOpen = 1024;
  static constexpr uint32_t kMaxLeftAlone = 32;

  struct Disposition {  // struct sigaction as the kernel has it
    uint64_t handler, flags, restorer, mask;
  };
  struct LeftAlone {
    int fd;
    uint64_t device, inode;
  };
  bool note_open(const DescriptorTable& descriptors, int passing);
  void close_others() const;
  bool left_alone_are_the_same(SnapshotReply& reply) const;

  long break_;
  Disposition dispositions_[kSignals + 1];
  long umask_;
  uint32_t last_thread_;  // that was given in this namespace; 0: not known
  char folder_[kMaxSnapshotPath];
  int open_[kMaxOpen];  // ascending
  uint32_t open_count_;
  LeftAlone left_alone_[kMaxLeftAlone];
  uint32_t left_alone_count_;
};

}  // namespace esox
