// SPDX-License-Identifier: Apache-2.0
// Runs another program in our environment, without a shell, and takes what it says.
#pragma once

#include <chrono>
#include <string>
#include <vector>

namespace esox {

struct CommandOutput {
  bool found = true;    // false: there is no such program
  bool in_time = true;  // false: it was killed when its time was over
  int status = -1;      // exit status; 128 + signal if it was killed
  std::string out;
  std::string err;
  bool ok() const { return found && in_time && status == 0; }
};

// The first word is the program, looked for in PATH. At most 64 MiB of each output are taken.
CommandOutput command_output(const std::vector<std::string>& words,
                             std::chrono::milliseconds limit = std::chrono::seconds(60));

}  // namespace esox
