// SPDX-License-Identifier: Apache-2.0
#include "analysis/comparison.h"

#include <algorithm>
#include <set>
#include <utility>

#include "analysis/forgiving.h"

namespace esox {
namespace {

const Output kNoOutput{};

// Of a component that one side does not have while something there could not be taken: it may be
// missing for the same reason (without the list of tables there are no rows of any).
void be_undecided(ComponentComparison& to) {
  if (to.match != ComponentMatch::kDifferent) return;
  to.match = ComponentMatch::kUnavailable;
  to.note += ", perhaps because another component is unavailable";
}

bool is_whole(const StateSummary& state) {
  return std::ranges::all_of(
      state.components, [](const Component& component) { return component.unavailable.empty(); });
}

size_t request_count(const Outcome& outcome, size_t client) {
  return client < outcome.outputs.size() ? outcome.outputs[client].size() : 0;
}

const Output& output_at(const Outcome& outcome, size_t client, size_t request) {
  return request < request_count(outcome, client) ? outcome.outputs[client][request] : kNoOutput;
}

}  // namespace

RequestComparison compare_output(const Output& concurrent, const Output& serial, size_t client,
                                 size_t request, const Masks& masks,
                                 const Forgiveness& forgiveness) {
  RequestComparison plain = compare_output(concurrent, serial, client, request, masks);
  if (plain.equal() || forgiveness.empty()) return plain;
  return forgive(std::move(plain), concurrent, serial, masks,
                 forgiveness.for_reply(client, request));
}

ComponentComparison compare_component(const std::string& name, const Component* concurrent,
                                      const Component* serial, const Masks& masks,
                                      const Forgiveness& forgiveness) {
  ComponentComparison plain = compare_component(name, concurrent, serial, masks);
  if (plain.match == ComponentMatch::kEqual || forgiveness.empty()) return plain;
  return forgive(std::move(plain), concurrent, serial, masks, forgiveness.for_component(name));
}

Comparison compare(const Outcome& concurrent, const Outcome& serial, const Masks& masks,
                   const Forgiveness& forgiveness) {
  Comparison comparison;
  const size_t clients = std::max(concurrent.outputs.size(), serial.outputs.size());
  for (size_t client = 0; client < clients; ++client) {
    const size_t requests =
        std::max(request_count(concurrent, client), request_count(serial, client));
    for (size_t request = 0; request < requests; ++request) {
      comparison.requests.push_back(compare_output(output_at(concurrent, client, request),
                                                   output_at(serial, client, request), client,
                                                   request, masks, forgiveness));
    }
  }
  std::set<std::string> names;
  for (const Component& component : concurrent.state.components) names.insert(component.name);
  for (const Component& component : serial.state.components) names.insert(component.name);
  const bool both_whole = is_whole(concurrent.state) && is_whole(serial.state);
  for (const std::string& name : names) {
    const Component* a = concurrent.state.find(name);
    const Component* b = serial.state.find(name);
    comparison.components.push_back(compare_component(name, a, b, masks, forgiveness));
    const bool one_sided = (a == nullptr) != (b == nullptr);
    if (one_sided && !both_whole) be_undecided(comparison.components.back());
  }
  return comparison;
}

bool Comparison::outputs_match() const {
  return differing_requests() == 0;
}

bool Comparison::state_match() const {
  return std::ranges::all_of(components,
                             [](const auto& c) { return c.match == ComponentMatch::kEqual; });
}

bool Comparison::holds_no_more() const {
  return std::ranges::all_of(components, [](const ComponentComparison& one) {
    const bool less = one.meaning == ComponentMeaning::kHeld &&
                      one.match == ComponentMatch::kDifferent && one.extra.empty() &&
                      one.note.empty();
    return less || one.match == ComponentMatch::kEqual;
  });
}

bool Comparison::state_differs() const {
  return differing_components() > 0;
}

size_t Comparison::differing_requests() const {
  return static_cast<size_t>(
      std::ranges::count_if(requests, [](const auto& r) { return !r.equal(); }));
}

size_t Comparison::differing_components() const {
  return static_cast<size_t>(std::ranges::count_if(
      components, [](const auto& c) { return c.match == ComponentMatch::kDifferent; }));
}

size_t Comparison::forgiven() const {
  size_t sum = 0;
  for (const RequestComparison& request : requests) sum += request.forgiven.size();
  for (const ComponentComparison& component : components) sum += component.forgiven.size();
  return sum;
}

}  // namespace esox
