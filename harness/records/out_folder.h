// SPDX-License-Identifier: Apache-2.0
// Where a hunt keeps what it finds.
//
//   OUT/hunt.json            the report (report.h), replaced as a whole every few seconds
//   OUT/progress.json        a few numbers for who watches from outside (hunt_progress.h)
//   OUT/hunt.db              what the hunt needs to go on (hunt_state.h)
//   OUT/findings/ID/         one folder per finding (finding_folder.h)
//
// Everything appears at once or not at all: files are written beside their place and renamed.
#pragma once

#include <filesystem>
#include <stdexcept>
#include <string_view>

namespace esox {

// what() is one line: what could not be kept, where, why, and what to do.
class OutError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// "esox-out/2025-11-21-033112", local time; with "-2", "-3", ... behind it if that exists.
std::filesystem::path default_out();

// A hunt never adds to what is there: `out` must not exist or be an empty folder. Changes nothing.
// Throws OutError.
void check_out(const std::filesystem::path& out);

// Makes `out` and its findings folder. Throws OutError.
void make_out(const std::filesystem::path& out);

// With all folders above it; may be there. Throws OutError.
void make_folder(const std::filesystem::path& folder);

// Whole or not at all: on failure the old file, if any, stays, and nothing new is left behind.
// Throws OutError.
void write_whole_file(const std::filesystem::path& path, std::string_view text);
// The same, and on the disk by the time it returns.
void write_lasting_file(const std::filesystem::path& path, std::string_view text);

}  // namespace esox
