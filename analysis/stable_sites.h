// SPDX-License-Identifier: Apache-2.0
// Call sites as module and offset: the same in every process of one build, wherever the loader put
// its parts.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <vector>

#include "analysis/execution_record.h"

namespace esox {

struct StableSite {
  uint64_t module = 0;  // hash of the file's name without its folder; 0: in no module
  uint64_t offset = 0;
  auto operator<=>(const StableSite&) const = default;  // NOLINT(modernize-use-nullptr): false
};

class StableSites {
 public:
  explicit StableSites(const std::vector<Module>& modules);

  StableSite of(uint64_t site);
  // In one number; 0 for a site in no module.
  uint64_t hash(uint64_t site) {
    const StableSite stable = of(site);
    return stable.module ^ stable.offset;
  }
  // Nothing: the process has no such module.
  std::optional<uint64_t> address(const StableSite& site) const;

 private:
  struct Place {
    uint64_t begin, end, load_base, name;
  };
  std::vector<Place> places_;
  size_t last_ = 0;  // most sites lie where the last one did
};

}  // namespace esox
