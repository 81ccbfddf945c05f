// SPDX-License-Identifier: Apache-2.0
// What esox exec runs: a program, and how it is run.
#pragma once

#include <chrono>
#include <filesystem>
#include <string>
#include <vector>

#include "harness/engine/control.h"

namespace esox {

struct ProgramTarget {
  std::filesystem::path program;  // absolute
  std::vector<std::string> arguments;
  std::vector<std::string> environment;  // beside the small fixed one of process.h: "NAME=value"
  std::filesystem::path folder;          // where it runs
  std::filesystem::path preload_library;
  bool fork_at_start = false;  // not before the first thread, though that may be possible
  ControlSettings control;
  AccessSettings accesses;                   // of a program built for it
  std::chrono::seconds virtual_limit{3600};  // an execution in which more time passes hangs
};

// Every release is a scheduling point: programs under test are short, and what goes wrong behind an
// unlock is what they are run for.
inline ControlSettings program_control() {
  ControlSettings settings;
  settings.release_point_odds = 1;
  return settings;
}

}  // namespace esox
