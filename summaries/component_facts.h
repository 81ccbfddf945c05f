// SPDX-License-Identifier: Apache-2.0
// Which components the state of a kind of server can have: data that each target gives, for those
// who must know without a server at hand.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "summaries/component.h"

namespace esox {

struct ComponentFacts {
  std::string_view name;  // a wildcard: "rows:*"
  ComponentMeaning meaning = ComponentMeaning::kContent;
  bool has_keys = false;  // it may be a map or a cache
  bool ordered = false;   // it may be a sequence
};

// Of whatever server: what is annotated or described by the tester, and may be of any kind.
std::span<const ComponentFacts> declared_components();

// What the name tells; content where nothing is known of it.
ComponentMeaning meaning_of(std::string_view name, std::span<const ComponentFacts> known);

// Gives all components the meaning that their names tell.
void set_meanings(std::vector<Component>& components, std::span<const ComponentFacts> known);

}  // namespace esox
