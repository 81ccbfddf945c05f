// SPDX-License-Identifier: Apache-2.0
// What can keep a frozen structure from being read. what() is one line without a place: who knows
// the place (a file and line, a component) puts it before.
#pragma once

#include <stdexcept>

namespace esox {

// The component cannot be taken: no debug information, no such symbol or member, an expression that
// makes no sense for its types, a limit, no permission, the process gone.
class FrozenError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// A pointer leads to memory that is not there. That is a property of the state, not of esox: a
// fault of the server may have left it so.
class Unreadable : public std::runtime_error {
 public:
  Unreadable() : std::runtime_error("unreadable memory") {}
};

}  // namespace esox
