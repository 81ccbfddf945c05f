// SPDX-License-Identifier: Apache-2.0
#include "harness/engine/memory.h"

#include <fmt/format.h>

#include <fstream>
#include <string>

namespace esox {

uint64_t proportional_memory_kib(pid_t pid) {
  std::ifstream file(fmt::format("/proc/{}/smaps_rollup", pid));
  std::string line;
  while (std::getline(file, line)) {  // "Pss:               1234 kB"
    if (line.starts_with("Pss:")) return std::stoull(line.substr(4));
  }
  return 0;
}

}  // namespace esox
