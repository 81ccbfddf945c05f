// SPDX-License-Identifier: Apache-2.0
// The end of a process that cannot be what its caller relies on.
#pragma once

#include <string.h>

#include "preload/core/raw.h"

namespace esox {

// Writes the lines to the standard error, without libc's, and ends the process.
[[noreturn]] inline void die(auto... parts) {
  (raw::call(SYS_write, 2, raw::address(parts), static_cast<long>(strlen(parts))), ...);
  raw::call(SYS_exit_group, 127);
  __builtin_unreachable();
}

}  // namespace esox
