// SPDX-License-Identifier: Apache-2.0
// Does an outcome match one serial outcome, and where does it not?
//
// Replies are compared part by part, the state component by component (differences.h). A component
// that exists on one side only is neither equal nor different, if any is unavailable. What the
// tester's rules forgive (forgiving.h) is no difference either, and is noted with the rules it
// took.
#pragma once

#include <string>
#include <vector>

#include "analysis/differences.h"
#include "analysis/forgiveness.h"

namespace esox {

struct Comparison {
  std::vector<RequestComparison> requests;      // by client, then request
  std::vector<ComponentComparison> components;  // by name; the union of both sides

  bool outputs_match() const;
  bool state_match() const;  // every component equal
  // Every component equal, but that sessions may hold less (ComponentMeaning::kHeld).
  bool holds_no_more() const;
  bool state_differs() const;  // some component different
  bool fully_matches() const { return outputs_match() && state_match(); }
  size_t differing_requests() const;
  size_t differing_components() const;
  size_t forgiven() const;  // how often a rule was needed
};

Comparison compare(const Outcome& concurrent, const Outcome& serial, const Masks& masks,
                   const Forgiveness& forgiveness = {});

// The parts of it, for callers that have only one.
RequestComparison compare_output(const Output& concurrent, const Output& serial, size_t client,
                                 size_t request, const Masks& masks,
                                 const Forgiveness& forgiveness);
ComponentComparison compare_component(const std::string& name, const Component* concurrent,
                                      const Component* serial, const Masks& masks,
                                      const Forgiveness& forgiveness);

}  // namespace esox
