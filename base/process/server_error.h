// SPDX-License-Identifier: Apache-2.0
// What the server room throws: no server, no space, a server that dies at start.
#pragma once

#include <stdexcept>
#include <string>
#include <utility>

namespace esox {

// what() is one line: what, where, and what to do. details() is for those who want more, such as
// the last lines of the server's log; it may be empty.
class ServerError : public std::runtime_error {
 public:
  explicit ServerError(const std::string& what, std::string details = {})
      : std::runtime_error(what), details_(std::move(details)) {}
  const std::string& details() const { return details_; }

 private:
  std::string details_;
};

}  // namespace esox
