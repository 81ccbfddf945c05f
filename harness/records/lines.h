// SPDX-License-Identifier: Apache-2.0
// A text cut into its parts, or its lines.
#pragma once

#include <sstream>
#include <string>
#include <vector>

namespace esox {

// Each ends with `end`, the last one with the text or with `end`, behind which there is none.
inline std::vector<std::string> parts_of(const std::string& text, char end) {
  std::vector<std::string> parts;
  std::istringstream stream(text);
  for (std::string part; std::getline(stream, part, end);) parts.push_back(part);
  return parts;
}

// Without their ends.
inline std::vector<std::string> lines_of(const std::string& text) {
  return parts_of(text, '\n');
}

}  // namespace esox
