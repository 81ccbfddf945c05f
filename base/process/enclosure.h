// SPDX-License-Identifier: Apache-2.0
// A server in namespaces of its own: the condition for forking it with its process and thread ids.
//
//   our process
//    +- first process   of a new PID and mount namespace (and user namespace, unless we may do
//        |              without); mounts /proc and a memory file system, then waits for the program
//        +- program     the server itself, process number 2
//            +- ...     what is forked from it, each in a namespace below this one
//
// All of it ends with the first process, which ends with us: the kernel sees to both. Mounts are
// seen by nobody else and end with the namespace.
//
// An ordinary user can do this where unprivileged user namespaces are allowed; the user keeps its
// own id there, and the program gets the few capabilities it needs as ambient ones.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "base/process/unique_fd.h"

namespace esox {

// At most this much memory for the files of one server's children.
inline constexpr uint64_t kStoreBytes = uint64_t{1} << 30;

class Enclosure {
 public:
  // `store` is an existing empty folder, where the memory file system will be. Throws
  // std::system_error.
  explicit Enclosure(std::filesystem::path store, uint64_t store_bytes = kStoreBytes);

  // A descriptor of ours that the program is to have under this number.
  void pass(int fd, int number) { passed_.push_back({fd, number}); }

  // After the program was started: what its first process sent. Throws ServerError.
  void receive();
  int store_fd() const { return store_fd_.get(); }  // the memory file system's root
  int program_pidfd() const { return program_.get(); }
  pid_t program_pid() const { return program_pid_; }  // as we see it

  // --- For Process alone, in the child: async-signal-safe --------------------------------------
  struct Passed {
    int fd;
    int number;
  };
  // The new process, as fork(): 0 in it, -1 and errno.
  pid_t clone() const;
  // In the first process. False: errno, and `step` says what failed.
  bool furnish(const char*& step) const;
  // In the program, just before exec.
  bool hand_over() const;
  // In the first process: forks the program. As fork().
  pid_t fork_program() const;
  // In the first process: waits for the program and ends as it did (128 + signal).
  [[noreturn]] void keep(pid_t program) const;

 private:
  std::string store_;
  std::string store_options_;
  std::string user_map_;
  std::string group_map_;
  bool needs_user_namespace_;
  std::vector<Passed> passed_;
  UniqueFd ours_;
  UniqueFd theirs_;
  UniqueFd store_fd_;
  UniqueFd program_;
  pid_t program_pid_ = -1;
};

// The process that a pidfd refers to, as we see it; -1 if it has ended.
pid_t pid_of(int pidfd);

}  // namespace esox
