// SPDX-License-Identifier: Apache-2.0
#include "analysis/stable_sites.h"

#include <xxhash.h>

namespace esox {

StableSites::StableSites(const std::vector<Module>& modules) {
  for (const Module& one : modules) {
    const std::string name = one.name();
    places_.push_back({one.begin, one.end, one.load_base, XXH3_64bits(name.data(), name.size())});
  }
}

StableSite StableSites::of(uint64_t site) {
  for (size_t tried = 0; tried < places_.size(); ++tried, last_ = (last_ + 1) % places_.size()) {
    const Place& one = places_[last_];
    if (site >= one.begin && site < one.end) return {one.name, site - one.load_base};
  }
  return {};
}

std::optional<uint64_t> StableSites::address(const StableSite& site) const {
  for (const Place& one : places_) {
    if (one.name == site.module) return one.load_base + site.offset;
  }
  return std::nullopt;
}

}  // namespace esox
