// SPDX-License-Identifier: Apache-2.0
// What an import says of itself.
#pragma once

#include <cstddef>
#include <map>
#include <string>

namespace esox {

// How much there was at each stage, and what was left out, by reason.
struct ImportCounts {
  std::map<std::string, size_t> stages;
  std::map<std::string, size_t> rejected;

  void add(const ImportCounts& more);
};

}  // namespace esox
