// SPDX-License-Identifier: Apache-2.0
// All that running a program's failing schedule again takes, as one JSON file.
//
// The trace is not in it: a replay makes it anew.
#pragma once

#include <filesystem>
#include <stdexcept>
#include <string>

#include "harness/programs/failure.h"
#include "harness/programs/program_target.h"

namespace esox {

// what() is one line: what is wrong with which file, and what to do.
class ReplayFileError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

struct ReplayFile {
  ProgramTarget target;        // without the preload library
  std::string program_digest;  // of the program's file: is it still the same?
  std::string esox_version;
  std::string c_library;  // "glibc 2.36"
  Failure failure;
  std::vector<std::string> access_sites;  // that were offered, for level conflicting (site_names.h)
  ExecutionRecord record;                 // number, seed, strategy, choices, values
  std::chrono::milliseconds limit{10'000};
};

// "glibc 2.36"
std::string c_library();

std::string replay_file_text(const ReplayFile& file);

// Throws ReplayFileError, InputError.
ReplayFile read_replay_file(const std::filesystem::path& path);

}  // namespace esox
