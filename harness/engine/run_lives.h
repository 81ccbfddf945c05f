// SPDX-License-Identifier: Apache-2.0
// How the servers of executions by snapshot came to life: forked, or rewound after another
// execution (preload/snapshot/rewind.h).
#pragma once

#include <cstdint>
#include <string>

namespace esox {

struct RunLives {
  uint64_t forked = 0;
  uint64_t rewound = 0;
  uint64_t refused = 0;  // should have been rewound, and could not be
  std::string why;       // the last one of these
  // Executions of single inputs whose server could not be forked, though others' can.
  uint64_t restarted = 0;
  std::string why_restarted;  // the last one of these
};

}  // namespace esox
