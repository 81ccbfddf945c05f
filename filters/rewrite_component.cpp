// SPDX-License-Identifier: Apache-2.0
// Components of the state. See rewrite.h. Digests are of all elements, so a component of which some
// are changed is made anew from its list, which must be whole for that.
#include <algorithm>
#include <utility>

#include "base/text/wildcard.h"
#include "filters/contained.h"
#include "filters/rewrite.h"

namespace esox {
namespace {

using Elements = std::vector<Element>;

bool fully_listed(const Component& component) {
  return component.elements.size() == component.count;
}

bool is_meant(const Rule& rule, const Element& element) {
  return rule.key.empty() || matches(rule.key, element.key);
}

void remake(Component& component, ComponentKind kind, Elements elements) {
  component = remade(component, kind, std::move(elements));
}

Elements meant(const Rule& rule, const Component& component, bool wanted) {
  Elements some;
  for (const Element& element : component.elements) {
    if (is_meant(rule, element) == wanted) some.push_back(element);
  }
  return some;
}

Rewriting ignore(const Rule& rule, Component& component) {
  Elements rest = meant(rule, component, false);
  if (rest.size() == component.elements.size()) return Rewriting::kNone;
  remake(component, component.kind, std::move(rest));
  return Rewriting::kDone;
}

Rewriting normalise(const Rule& rule, Component& component) {
  Elements elements = component.elements;
  bool changed = false;
  for (Element& element : elements) {
    if (!is_meant(rule, element)) continue;
    auto value = rule.pattern->replaced(element.value, rule.placeholder);
    if (!value) return Rewriting::kUndecided;
    changed = changed || *value != element.value;
    element.value = std::move(*value);
  }
  if (!changed) return Rewriting::kNone;
  remake(component, component.kind, std::move(elements));
  return Rewriting::kDone;
}

Rewriting unordered(Component& component) {
  if (component.kind != ComponentKind::kSequence) return Rewriting::kNone;
  remake(component, ComponentKind::kMultiset, component.elements);
  return Rewriting::kDone;
}

// Elements that the rule does not mean stay as they are; of those it means, the serial order's
// stand for both.
Rewriting include(const Rule& rule, Component& concurrent, const Component& serial) {
  if (concurrent.kind != serial.kind) return Rewriting::kNone;
  const bool ordered = serial.kind == ComponentKind::kSequence;
  Elements theirs = meant(rule, serial, true);
  const Elements ours = meant(rule, concurrent, true);
  const auto text = [](const Element& element) {
    return element.key.empty() ? element.value : element.key + " = " + element.value;
  };
  if (ours == theirs || !is_included(rule, ours, theirs, ordered, text)) return Rewriting::kNone;
  Elements elements = meant(rule, concurrent, false);
  elements.insert(elements.end(), theirs.begin(), theirs.end());
  remake(concurrent, concurrent.kind, std::move(elements));
  return Rewriting::kDone;
}

}  // namespace

bool ignores_all(const Rule& rule) {
  return rule.kind == RuleKind::kIgnore && !rule.component.empty() && rule.key.empty();
}

Rewriting rewrite_component(const Rule& rule, Component& concurrent, Component& serial) {
  if (!fully_listed(concurrent) || !fully_listed(serial)) return Rewriting::kUndecided;
  switch (rule.kind) {
    case RuleKind::kIncluded:
      return include(rule, concurrent, serial);
    case RuleKind::kIgnore:
      return std::max(ignore(rule, concurrent), ignore(rule, serial));
    case RuleKind::kNormalise:
      return std::max(normalise(rule, concurrent), normalise(rule, serial));
    case RuleKind::kUnordered:
      return std::max(unordered(concurrent), unordered(serial));
    case RuleKind::kTolerate:
    case RuleKind::kSplit:
      break;
  }
  return Rewriting::kNone;
}

}  // namespace esox
