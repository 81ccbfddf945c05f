// SPDX-License-Identifier: Apache-2.0
// What the executions of a program write on their standard output and error output: one nameless
// file in memory, emptied before each execution.
#pragma once

#include <cstddef>
#include <string>

#include "base/process/unique_fd.h"

namespace esox {

class OutputFile {
 public:
  static constexpr size_t kMostKept = 64u << 10;  // of one execution, for the report
  static constexpr size_t kMost = 64u << 20;      // more, and the execution is ended

  OutputFile();  // throws std::system_error

  int fd() const { return fd_.get(); }
  void empty();
  bool is_too_large() const { return size() > kMost; }
  // Beginning and end of it, with a line between that says what was left out.
  std::string text() const;

 private:
  size_t size() const;
  std::string part(size_t from, size_t bytes) const;

  UniqueFd fd_;
};

}  // namespace esox
