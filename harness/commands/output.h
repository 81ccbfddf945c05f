// SPDX-License-Identifier: Apache-2.0
// What commands say; it is there when the call returns.
#pragma once

#include <string>

namespace esox {

void put(const std::string& text);  // on the standard output
void put_line(const std::string& line);
// On the standard error output, a line: "esox: ...".
void warn(const std::string& text);

}  // namespace esox
