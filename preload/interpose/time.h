// SPDX-License-Identifier: Apache-2.0
// Hooks of sleeps and yields, for a call at `site`: C11's are of the same make.
#pragma once

#include <time.h>

#include <cstdint>

namespace esox {

// As clock_nanosleep(2): returns an error number.
int sleep_on(clockid_t clock, int flags, const timespec* time, timespec* remaining, uint64_t site);
int yield(uint64_t site);

}  // namespace esox
