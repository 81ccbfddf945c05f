// SPDX-License-Identifier: Apache-2.0
// See components.h.
#include "targets/memcached/components.h"

#include <array>

namespace esox {
namespace {

constexpr std::array<ComponentFacts, 3> kComponents = {{
    {.name = "items", .has_keys = true},
    {.name = "counters", .has_keys = true},
    {.name = "observation:*", .meaning = ComponentMeaning::kDerived, .ordered = true},
}};

}  // namespace

std::span<const ComponentFacts> memcached_components() {
  return kComponents;
}

}  // namespace esox
