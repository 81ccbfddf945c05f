// SPDX-License-Identifier: Apache-2.0
// A process with a snapshot agent in it: parked, it is a template that can be forked.
//
// One thread uses it at a time. Ends with this object: SIGKILL through its pidfd, which cannot mean
// another process.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <string>
#include <vector>

#include "base/process/process.h"
#include "base/process/unique_fd.h"
#include "harness/engine/snapshot/channel.h"
#include "harness/engine/snapshot/plan.h"
#include "preload/protocol/snapshot.h"

namespace esox {

struct NestPlan {
  uint32_t number = 0;
  std::string from;    // the folder of the children's files, as the server sees it; empty: in place
  std::string onto;    // where they see it
  std::string folder;  // their working folder
};

class SnapshotProcess {
 public:
  // `channel` is our end; without one (a child that is not to become a template) only the rest
  // works.
  SnapshotProcess(UniqueFd pidfd, SnapshotChannel channel);
  ~SnapshotProcess() { kill(); }
  SnapshotProcess(const SnapshotProcess&) = delete;
  SnapshotProcess& operator=(const SnapshotProcess&) = delete;

  pid_t pid() const;  // as we see it, asked for when first needed; -1 if it cannot be told
  int pidfd() const { return pidfd_.get(); }
  bool ended() const { return wait(std::chrono::milliseconds(0)); }
  bool wait(std::chrono::milliseconds limit) const;
  // And waits for the end: when this returns, it has let go of its memory and files.
  void kill();
  // Without waiting; kill() or the end of this object does so.
  void begin_kill();

  // --- As a template. All throw SnapshotRefused, TemplateLost.

  // A child with a channel: until it has come to life, its listening sockets there and all.
  void await_life();
  // Parks all threads and tells the agent what children do with the descriptors. The process should
  // be idle. request.pid is filled in.
  // `move_memory`: for the first of a line, whose memory all others inherit; it takes some time.
  void park(PlanRequest request, bool move_memory = false);
  void add_nest(const NestPlan& plan);
  // A child in that nest, in which none lives. `sockets` as numbered in the plan; they stay ours.
  // With `channel` (the server's end) the child can be parked in turn.
  struct Fork {
    uint32_t nest = 0;
    std::vector<int> sockets;
    int channel = -1;
    bool rewindable = false;                     // with a channel: see begin_rewind()
    std::chrono::nanoseconds quiet{0};           // ForkRequest::quiet_ns
    SnapshotStep fail_at = SnapshotStep::kNone;  // for tests
  };
  // In two steps, so that other work can be done while the server forks.
  void begin_fork(const Fork& fork);
  // The child's pidfd. If it does not fit among our descriptors (refused), the template ends the
  // child.
  UniqueFd end_fork();
  // How the nest's last child ended; it must have. "SIGKILL" by us counts as any other.
  ExitStatus reap(uint32_t nest);
  // What a child that died before it came to life had to say; empty if nothing.
  std::string last_words();
  // Is a process like any other again; of its clocks so much later (ForkRequest::quiet_ns carries
  // it): whoever waits until then goes on.
  void resume(std::chrono::nanoseconds later = {});

  // --- As a child forked `rewindable` (preload/snapshot/rewind.h). All throw TemplateLost if it
  // does not answer: it can only be killed then.
  // Told to go back to its birth. In two steps, so that other work can be done meanwhile.
  void begin_rewind();
  // False: it cannot, for the reason given, and ends.
  bool end_rewind(std::string& why);
  // Goes on as if forked just now; `fork` without a channel.
  void live_again(const Fork& fork);

  uint32_t threads() const { return threads_; }

 private:
  SnapshotRequest park_request() const;
  void call_main_thread() const;
  static SnapshotRequest fork_request(const Fork& fork, std::vector<int>& passed);

  UniqueFd pidfd_;
  mutable pid_t pid_ = 0;
  SnapshotChannel channel_;
  uint32_t threads_ = 0;
  uint32_t nest_ = 0;  // of the last fork
};

}  // namespace esox
