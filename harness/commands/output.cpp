// SPDX-License-Identifier: Apache-2.0
#include "harness/commands/output.h"

#include <cstdio>

namespace esox {

void put(const std::string& text) {
  std::fputs(text.c_str(), stdout);
  std::fflush(stdout);
}

void put_line(const std::string& line) {
  put(line + "\n");
}

void warn(const std::string& text) {
  std::fputs(("esox: " + text + "\n").c_str(), stderr);
}

}  // namespace esox
