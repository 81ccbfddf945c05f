// SPDX-License-Identifier: Apache-2.0
// Where one reply differs from another, and one component of the state from another, without the
// tester's rules.
//
// Rows are a multiset unless the statement orders them; errors are equal if number, SQL state and
// message are; warning texts count only where both sides have them. A component that is unavailable
// on either side is neither equal nor different. Of a cache only elements besides those of the
// serial outcome make a difference. Masked places never make a difference, but it is noted when a
// mask hid one.
//
// Reading direction throughout: "missing" is in the serial outcome and not in the concurrent one,
// "extra" the other way round. Texts are decoded for people; nothing is parsed back from them.
#pragma once

#include <string>
#include <vector>

#include "analysis/masks.h"
#include "summaries/outcome.h"

namespace esox {

struct OutputDifference {
  OutputPart part = OutputPart::kRows;
  size_t result = 0;                 // of parts that lie in one result
  std::string serial;                // the value of a single-valued part, "success" for no error
  std::string concurrent;            // the same
  std::vector<std::string> missing;  // rows, warnings
  std::vector<std::string> extra;
};

// What one rule hid.
struct Forgiven {
  std::string rule;
  std::string what;  // would differ without it: "rows: lacks 't1', 'BASE TABLE'"
};

struct RequestComparison {
  size_t client = 0;
  size_t request = 0;
  std::vector<OutputDifference> differences;
  std::vector<OutputPlace> masked;  // masks that hid a difference here
  std::vector<Forgiven> forgiven;
  std::string note;  // of a rule that would apply but could not be decided
  bool equal() const { return differences.empty(); }
};

enum class ComponentMatch { kEqual, kDifferent, kUnavailable };

struct ComponentComparison {
  std::string name;
  ComponentMatch match = ComponentMatch::kEqual;
  ComponentMeaning meaning = ComponentMeaning::kContent;  // of the concurrent one, if it exists
  std::vector<std::string> missing;                       // elements
  std::vector<std::string> extra;
  std::string note;                // why unavailable; or a difference that is not of elements
  std::vector<StatePlace> masked;  // masks that hid a difference here
  std::vector<Forgiven> forgiven;
};

RequestComparison compare_output(const Output& concurrent, const Output& serial, size_t client,
                                 size_t request, const Masks& masks);
// Either may be null: the component does not exist on that side.
ComponentComparison compare_component(const std::string& name, const Component* concurrent,
                                      const Component* serial, const Masks& masks);

}  // namespace esox
