// SPDX-License-Identifier: Apache-2.0
// A snapshot that cannot be taken, or not be forked: by this server, or on this machine.
#pragma once

#include <stdexcept>

namespace esox {

// what() is one line: what, where, and what to do if something can be done.
class SnapshotRefused : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// The template has ended, or does not answer: another one may do.
class TemplateLost : public SnapshotRefused {
 public:
  using SnapshotRefused::SnapshotRefused;
};

// A run that was rewound does not come to life again; one that is forked will.
class RunLost : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace esox
