// SPDX-License-Identifier: Apache-2.0
// The components of memcached's state (docs/memcached.md).
#pragma once

#include <span>

#include "summaries/component_facts.h"

namespace esox {

std::span<const ComponentFacts> memcached_components();

}  // namespace esox
