// SPDX-License-Identifier: Apache-2.0
// Which loaded modules were compiled with -fsanitize=thread: those that ask for one of the
// runtime's functions.
//
// The runtime stands before memcpy and its like for every caller in the process. The C library
// calls them while it holds locks of its own (localtime, dlopen), which no hook sees: a thread that
// were replaced there would keep others from ever going on. So it is told of instrumented code
// alone, as plain accesses are.
#pragma once

#include <cstdint>

namespace esox {

// Looks at modules that were loaded since. Where a module is loaded: the loader's lock is held.
void look_at_modules();

bool is_instrumented(uint64_t site);

}  // namespace esox
