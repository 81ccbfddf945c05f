// SPDX-License-Identifier: Apache-2.0
// What commands say on the standard output; it is there when the call returns.
#pragma once

#include <string>

namespace esox {

void put(const std::string& text);
void put_line(const std::string& line);

}  // namespace esox
