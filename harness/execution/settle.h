// SPDX-License-Identifier: Apache-2.0
// Waiting until a server has come to rest.
//
// What a statement set in motion goes on after its reply: purge frees undo pages, workers start and
// end. If the next statement arrives in its middle, the server takes another way each time; so the
// setup of an execution waits for rest between its statements, and equal setups give equal servers.
#pragma once

#include <dirent.h>
#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>

#include "harness/server/unique_fd.h"

namespace esox {

// Looks at one process again and again. A setup waits after each statement and connection; most of
// a look was opening the threads' files in /proc, so they are kept open. Used by one thread.
class RestWatch {
 public:
  explicit RestWatch(pid_t pid);

  // Waits until all threads of the process sleep in the kernel and none of them has run between two
  // looks; at most so long. False if it never was so, or the process is gone. Timed waits do not
  // count as unrest: a thread that wakes up every second rests in between.
  bool settle(std::chrono::milliseconds limit);

 private:
  struct Files {
    UniqueFd stat;
    UniqueFd schedstat;
  };
  struct CloseFolder {
    void operator()(DIR* folder) const { closedir(folder); }
  };

  bool list_threads();
  bool all_sleep() const;
  std::optional<uint64_t> runs() const;

  std::unique_ptr<DIR, CloseFolder> tasks_;  // null: the process was gone at the beginning
  std::map<pid_t, Files> threads_;
};

}  // namespace esox
