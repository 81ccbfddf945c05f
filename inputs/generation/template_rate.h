// SPDX-License-Identifier: Apache-2.0
// How often requests of one template succeeded; those that nearly never do rest for a while.
#pragma once

#include <cstdint>
#include <string>

namespace esox {

struct TemplateRate {
  std::string name;
  uint64_t tried = 0;
  uint64_t succeeded = 0;
  uint64_t rests_until = 0;  // a number of inputs made
  bool operator==(const TemplateRate&) const = default;
};

}  // namespace esox
