// SPDX-License-Identifier: Apache-2.0
// What the room throws: something is not a hunt's folder, or a file in it is damaged.
#pragma once

#include <stdexcept>

namespace esox {

// what() is one line: which file, what is wrong, and what to do.
class ReportError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace esox
