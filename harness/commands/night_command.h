// SPDX-License-Identifier: Apache-2.0
// esox hunt --config FILE: one night of a hunt file (harness/nights/night).
#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace esox {

struct NightCommandOptions {
  std::string file;
  bool check = false;
  bool begin_anew = false;
  // Of `esox hunt`'s own options; empty: as the file says, and all of it.
  std::string out;
  std::string seed;
  std::string shard;
  std::string campaign;
};

// Gives --config, which excludes what is in the file.
CLI::Option* add_night_options(CLI::App& command, NightCommandOptions& options);

// The exit status.
int run_night(const NightCommandOptions& options);

}  // namespace esox
