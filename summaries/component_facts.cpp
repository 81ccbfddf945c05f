// SPDX-License-Identifier: Apache-2.0
// See component_facts.h.
#include "summaries/component_facts.h"

#include <algorithm>
#include <array>
#include <string>

#include "base/text/wildcard.h"

namespace esox {
namespace {

constexpr std::array<ComponentFacts, 2> kDeclared = {
    {{"annotated:*", ComponentMeaning::kContent, true, true},
     {"frozen:*", ComponentMeaning::kContent, true, true}}};

}  // namespace

std::span<const ComponentFacts> declared_components() {
  return kDeclared;
}

ComponentMeaning meaning_of(std::string_view name, std::span<const ComponentFacts> known) {
  const auto found = std::find_if(known.begin(), known.end(), [&](const ComponentFacts& facts) {
    return matches(facts.name, name);
  });
  return found == known.end() ? ComponentMeaning::kContent : found->meaning;
}

void set_meanings(std::vector<Component>& components, std::span<const ComponentFacts> known) {
  for (Component& component : components) component.meaning = meaning_of(component.name, known);
}

}  // namespace esox
