// SPDX-License-Identifier: Apache-2.0
// The script that plays an exported finding on a memcached (templates/by-hand.pl says how).
#pragma once

namespace esox {

extern const char* const kByHandScript;

}  // namespace esox
