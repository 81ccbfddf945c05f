// SPDX-License-Identifier: Apache-2.0
#include "summaries/component.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/text/wildcard.h"

namespace esox {
namespace {

Digest element_digest(const Element& element) {
  return digest_of(FieldEncoder().append(element.key).append(element.value).bytes());
}

// Kinds with equal elements still differ, and so do an empty set and an empty sequence.
Digest with_kind(ComponentKind kind, const Digest& digest) {
  return digest_of(FieldEncoder().append(name_of(kind)).append(hex(digest)).bytes());
}

// Equal names stay in the order they came in. A component is moved once, for it is large.
std::vector<Component> sorted_by_name(std::vector<Component> components) {
  std::vector<Component*> order;
  order.reserve(components.size());
  for (Component& component : components) order.push_back(&component);
  std::ranges::stable_sort(
      order, [](const Component* a, const Component* b) { return a->name < b->name; });
  std::vector<Component> sorted;
  sorted.reserve(order.size());
  for (Component* component : order) sorted.push_back(std::move(*component));
  return sorted;
}

}  // namespace

const Component* StateSummary::find(const std::string& name) const {
  for (const Component& component : components) {
    if (component.name == name) return &component;
  }
  return nullptr;
}

bool same(const Component& a, const Component& b) {
  return a.unavailable.empty() && b.unavailable.empty() && a.kind == b.kind && a.digest == b.digest;
}

// The numbers may be those of a damaged file.
const char* name_of(ComponentKind kind) {
  static constexpr const char* kNames[] = {"set", "multiset", "map", "sequence", "cache"};
  const auto number = static_cast<size_t>(kind);
  return number < std::size(kNames) ? kNames[number] : "unknown";
}

const char* name_of(ComponentMeaning meaning) {
  static constexpr const char* kNames[] = {"content", "damage", "derived", "held"};
  const auto number = static_cast<size_t>(meaning);
  return number < std::size(kNames) ? kNames[number] : "unknown";
}

ComponentBuilder::ComponentBuilder(std::string name, ComponentKind kind, size_t listed)
    : listed_(listed) {
  component_.name = std::move(name);
  component_.kind = kind;
}

bool ComponentBuilder::is_repeated(const Element& element, const Digest& digest) {
  if (component_.kind == ComponentKind::kSet) return !seen_.insert(digest).second;
  if (component_.kind != ComponentKind::kMap) return false;
  if (seen_.insert(digest_of(element.key)).second) return false;
  fail("the key '" + element.key + "' came twice");
  return true;
}

void ComponentBuilder::list(Element element) {
  std::vector<Element>& elements = component_.elements;
  if (elements.size() < listed_) {
    elements.push_back(std::move(element));
    return;
  }
  if (component_.kind == ComponentKind::kSequence || listed_ == 0) return;
  if (!heaped_) std::make_heap(elements.begin(), elements.end());
  heaped_ = true;
  if (element >= elements.front()) return;
  std::pop_heap(elements.begin(), elements.end());
  elements.back() = std::move(element);
  std::push_heap(elements.begin(), elements.end());
}

void ComponentBuilder::add(Element element) {
  const Digest digest = element_digest(element);
  if (is_repeated(element, digest)) return;
  if (component_.kind == ComponentKind::kSequence) {
    sequence_.add(digest);
  } else {
    bag_.add(digest);
  }
  list(std::move(element));
}

void ComponentBuilder::fail(std::string reason) {
  if (component_.unavailable.empty()) component_.unavailable = std::move(reason);
}

Component ComponentBuilder::build() && {
  const bool in_order = component_.kind == ComponentKind::kSequence;
  component_.count = in_order ? sequence_.count() : bag_.count();
  component_.digest = with_kind(component_.kind, in_order ? sequence_.result() : bag_.result());
  if (heaped_) std::sort_heap(component_.elements.begin(), component_.elements.end());
  return std::move(component_);
}

Component make_component(std::string name, ComponentKind kind, std::vector<Element> elements) {
  ComponentBuilder builder(std::move(name), kind, elements.size());
  for (Element& element : elements) builder.add(std::move(element));
  return std::move(builder).build();
}

Component remade(const Component& component, ComponentKind kind, std::vector<Element> elements) {
  Component made = make_component(component.name, kind, std::move(elements));
  made.meaning = component.meaning;
  return made;
}

Component unavailable_component(std::string name, ComponentKind kind, std::string reason) {
  ComponentBuilder builder(std::move(name), kind);
  builder.fail(std::move(reason));
  return std::move(builder).build();
}

StateSummary make_summary(std::vector<Component> components) {
  components = sorted_by_name(std::move(components));
  bool renamed = false;
  for (size_t first = 0; first < components.size();) {
    size_t last = first + 1;
    while (last < components.size() && components[last].name == components[first].name) ++last;
    for (size_t i = first + 1; i < last; ++i) {
      components[i].name += " #" + std::to_string(i - first + 1);
      renamed = true;
    }
    first = last;
  }
  if (renamed) components = sorted_by_name(std::move(components));
  return StateSummary{std::move(components)};
}

std::span<const ComponentFacts> declared_components() {
  static constexpr ComponentFacts kDeclared[] = {
      {"annotated:*", ComponentMeaning::kContent, true, true},
      {"frozen:*", ComponentMeaning::kContent, true, true}};
  return kDeclared;
}

const ComponentFacts* facts_of(std::string_view name, std::span<const ComponentFacts> known) {
  const auto found = std::ranges::find_if(
      known, [&](const ComponentFacts& facts) { return matches(facts.name, name); });
  return found == known.end() ? nullptr : &*found;
}

ComponentMeaning meaning_of(std::string_view name, std::span<const ComponentFacts> known) {
  const ComponentFacts* facts = facts_of(name, known);
  return facts == nullptr ? ComponentMeaning::kContent : facts->meaning;
}

void set_meanings(std::vector<Component>& components, std::span<const ComponentFacts> known) {
  for (Component& component : components) component.meaning = meaning_of(component.name, known);
}

}  // namespace esox
