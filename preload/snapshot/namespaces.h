// SPDX-License-Identifier: Apache-2.0
// Where a template's children live: a nest, that is a PID namespace and a view of the files.
//
// A child must have the template's process id and thread ids, because held mutexes name their owner
// and the C library remembers its ids. That takes a PID namespace in which they are free. Making
// and ending one costs more than the fork itself, so a nest is made once and used by one child
// after the other. A PID namespace ends with its first process; ours is a process that shares the
// template's memory (so it costs none), has a stack of its own, mounts the nest's /proc and waits
// for ever. It dies with the template's main thread.
//
// The template's agent, the only one of its threads that still moves, enters the nest's view of the
// files itself; children then are born into it.
#pragma once

#include <sys/types.h>

#include "preload/protocol/snapshot.h"

namespace esox {

class Nests {
 public:
  // In a child, which has none yet: closes what it inherited of its template's. `closed`: it has
  // done so in an earlier life.
  void forget(bool closed);

  // False: the reply says why.
  bool make(const NestRequest& request, SnapshotReply& reply);

  // The next clone3 with CLONE_PARENT_SETTID etc. makes a child in this nest. False: see the reply.
  bool enter(uint32_t number, SnapshotReply& reply);

  void note_child(uint32_t number, pid_t child) { nests_[number].child = child; }
  // Takes the dead child's exit status off the kernel: 0 or -errno; -EAGAIN if it lives.
  long reap(uint32_t number, int& status);
  // For a child that the harness has no hold on: SIGKILL. 0, or -errno.
  long end_child(uint32_t number);

 private:
  struct Nest {
    bool made = false;
    long first_process = -1;  // pidfd
    long view = -1;           // mount namespace
    pid_t child = 0;          // as the template sees it; 0: none
    char folder[kMaxSnapshotPath] = {};
  };
  static constexpr uint32_t kNowhere = kMaxNests;

  bool go_home(SnapshotReply& reply);
  bool make_view(const NestRequest& request, Nest& nest, SnapshotReply& reply);
  bool make_processes(uint32_t number, SnapshotReply& reply);

  Nest nests_[kMaxNests];
  uint32_t current_ = kNowhere;
  long home_view_ = -1;
  long home_processes_ = -1;
};

}  // namespace esox
