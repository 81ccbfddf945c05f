// SPDX-License-Identifier: Apache-2.0
// Reading a server's log while it is being written.
#pragma once

#include <filesystem>
#include <string>

namespace esox {

// All of it, or of another text file; empty if it cannot be read.
std::string text_of_file(const std::filesystem::path& path);

// The last `lines` lines, of at most the last 64 KiB; empty if there is no log.
std::string tail_of(const std::filesystem::path& log, size_t lines);

// Why a server gave up: the last line marked [ERROR] that says more than "Aborting", of the last
// 50; else the last line; empty if there is no log.
std::string complaint_of(const std::filesystem::path& log);

// Follows a log from its beginning, waiting for one text.
class LogWatch {
 public:
  explicit LogWatch(std::filesystem::path log, std::string text);
  bool seen();  // reads what is new; true once the text has been there

 private:
  std::filesystem::path log_;
  std::string text_;
  std::string carried_;  // the end of what was read: the text may be cut in two
  size_t offset_ = 0;
  bool seen_ = false;
};

}  // namespace esox
