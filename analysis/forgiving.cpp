// SPDX-License-Identifier: Apache-2.0
#include "analysis/forgiving.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "analysis/rows.h"
#include "filters/rewrite.h"

namespace esox {
namespace {

using Rules = RulesInForce::Rules;

// How much differs; 0: equal.
size_t weight(const RequestComparison& comparison) {
  size_t sum = 0;
  for (const OutputDifference& difference : comparison.differences) {
    sum += std::max<size_t>(1, difference.missing.size() + difference.extra.size());
  }
  return sum;
}

// What nobody can say is less than a difference.
size_t weight(const ComponentComparison& comparison) {
  if (comparison.match == ComponentMatch::kEqual) return 0;
  if (comparison.match == ComponentMatch::kUnavailable) return 1;
  return 1 + std::max<size_t>(1, comparison.missing.size() + comparison.extra.size());
}

bool same(const OutputDifference& a, const OutputDifference& b) {
  return a.part == b.part && a.result == b.result && a.serial == b.serial &&
         a.concurrent == b.concurrent && a.missing == b.missing && a.extra == b.extra;
}

// `more` without what differs in `less` as well.
RequestComparison only_in(RequestComparison more, const RequestComparison& less) {
  std::erase_if(more.differences, [&](const OutputDifference& difference) {
    return std::ranges::any_of(
        less.differences, [&](const OutputDifference& other) { return same(difference, other); });
  });
  return more;
}

ComponentComparison only_in(ComponentComparison more, const ComponentComparison& less) {
  const auto drop_common = [](std::vector<std::string>& from,
                              const std::vector<std::string>& other) {
    from = multiset_difference(std::move(from), other).missing;
  };
  drop_common(more.missing, less.missing);
  drop_common(more.extra, less.extra);
  return more;
}

// Leaves out each rule without which no more differs, and names the others with what they hid.
auto with_needed_rules(Rules rules, const auto& run) {
  auto best = run(rules);
  for (size_t i = 0; i < rules.size();) {
    Rules fewer = rules;
    fewer.erase(fewer.begin() + static_cast<ptrdiff_t>(i));
    auto other = run(fewer);
    if (weight(other) > weight(best)) {
      ++i;
      continue;
    }
    rules = std::move(fewer);
    best = std::move(other);
  }
  for (const Rule* rule : rules) {
    Rules others = rules;
    std::erase(others, rule);
    best.forgiven.push_back({rule->name, difference_text(only_in(run(others), best))});
  }
  return best;
}

// A masked column never differs; with its values replaced, rows can be found contained.
Output without_masked(Output output, const Masks& masks, size_t client, size_t request) {
  for (size_t i = 0; i < output.results.size(); ++i) {
    std::set<size_t> columns;
    for (const auto& [place, orders] : masks.outputs) {
      if (place.client == client && place.request == request && place.part == OutputPart::kColumn &&
          place.result == i) {
        columns.insert(place.column);
      }
    }
    if (!columns.empty()) output.results[i].rows = without_columns(output.results[i].rows, columns);
  }
  return output;
}

Component without_masked(Component component, const Masks& masks) {
  const std::vector<std::string> keys = masks.hidden_keys(component.name);
  if (keys.empty() || component.elements.size() != component.count) return component;
  std::vector<Element> elements = std::move(component.elements);
  std::erase_if(elements, [&](const Element& element) {
    return std::ranges::binary_search(keys, element.key);
  });
  return remade(component, component.kind, std::move(elements));
}

std::string first_of(const std::vector<std::string>& list) {
  const std::string more = list.size() > 1 ? fmt::format(" and {} more", list.size() - 1) : "";
  return list.front() + more;
}

std::string lists_text(const std::vector<std::string>& missing,
                       const std::vector<std::string>& extra) {
  std::string text;
  if (!missing.empty()) text = "lacks " + first_of(missing);
  if (!extra.empty()) text += (text.empty() ? "has " : ", has ") + first_of(extra);
  return text.empty() ? "another order" : text;
}

std::string undecided(const Rule& rule) {
  return fmt::format("too large for the filter {}", rule.name);
}

ComponentComparison equal_component(const std::string& name) {
  ComponentComparison comparison;
  comparison.name = name;
  return comparison;
}

// Under exactly these rules.
ComponentComparison compare_under(const ComponentComparison& plain, const Component* concurrent,
                                  const Component* serial, const Masks& masks, const Rules& rules) {
  const bool ignored =
      std::ranges::any_of(rules, [](const Rule* rule) { return ignores_all(*rule); });
  if (ignored) return equal_component(plain.name);
  const bool comparable =
      plain.match == ComponentMatch::kDifferent && concurrent != nullptr && serial != nullptr;
  if (rules.empty() || !comparable) return plain;
  Component ours = without_masked(*concurrent, masks);
  Component theirs = without_masked(*serial, masks);
  for (const Rule* rule : rules) {
    if (rewrite_component(*rule, ours, theirs) != Rewriting::kUndecided) continue;
    ComponentComparison unknown = equal_component(plain.name);
    unknown.match = ComponentMatch::kUnavailable;
    unknown.note = undecided(*rule);
    return unknown;
  }
  return compare_component(plain.name, &ours, &theirs, Masks{});
}

// A rule that cannot be decided here is not applied.
RequestComparison compare_under(const RequestComparison& plain, const Output& concurrent,
                                const Output& serial, const Masks& masks, const Rules& rules) {
  if (rules.empty()) return plain;
  Output ours = without_masked(concurrent, masks, plain.client, plain.request);
  Output theirs = without_masked(serial, masks, plain.client, plain.request);
  std::string note;
  for (const Rule* rule : rules) {
    Output our_copy = ours;
    Output their_copy = theirs;
    if (rewrite_reply(*rule, our_copy, their_copy) == Rewriting::kUndecided) {
      note = undecided(*rule);
      continue;
    }
    ours = std::move(our_copy);
    theirs = std::move(their_copy);
  }
  RequestComparison comparison = compare_output(ours, theirs, plain.client, plain.request, masks);
  comparison.note = std::move(note);
  return comparison;
}

}  // namespace

std::string difference_text(const RequestComparison& comparison) {
  if (comparison.equal()) return "nothing";
  const OutputDifference& difference = comparison.differences.front();
  const std::string part = part_name(difference.part);
  if (difference.missing.empty() && difference.extra.empty()) {
    return fmt::format("{}: {} instead of {}", part, difference.concurrent, difference.serial);
  }
  return fmt::format("{}: {}", part, lists_text(difference.missing, difference.extra));
}

std::string difference_text(const ComponentComparison& comparison) {
  if (comparison.match == ComponentMatch::kEqual) return "nothing";
  if (comparison.match == ComponentMatch::kUnavailable) return comparison.note;
  if (comparison.missing.empty() && comparison.extra.empty() && !comparison.note.empty()) {
    return comparison.note;
  }
  return lists_text(comparison.missing, comparison.extra);
}

namespace {

auto forgiven(auto plain, const auto& concurrent, const auto& serial, const Masks& masks,
              const Rules& rules) {
  auto best = with_needed_rules(rules, [&](const Rules& some) {
    return compare_under(plain, concurrent, serial, masks, some);
  });
  best.masked = std::move(plain.masked);
  return best;
}

}  // namespace

RequestComparison forgive(RequestComparison plain, const Output& concurrent, const Output& serial,
                          const Masks& masks, const Rules& rules) {
  if (plain.equal() || rules.empty()) return plain;
  return forgiven(std::move(plain), concurrent, serial, masks, rules);
}

ComponentComparison forgive(ComponentComparison plain, const Component* concurrent,
                            const Component* serial, const Masks& masks, const Rules& rules) {
  if (plain.match == ComponentMatch::kEqual || rules.empty()) return plain;
  return forgiven(std::move(plain), concurrent, serial, masks, rules);
}

}  // namespace esox
