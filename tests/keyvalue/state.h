// SPDX-License-Identifier: Apache-2.0
// The state of a key-value server, as its DUMP tells it.
//
//   records      map       by key: value and version
//   journal      sequence  its lines
//   counters     map       what STATS tells
//   cache        cache     by key: the value
//   index-check  multiset  where index and records disagree         \  damage: in a sound server
//   cache-check  multiset  cached values that no record holds        | every order leaves these
//   slot-check   multiset  slots that are not in one place only     /  empty
#pragma once

#include <span>
#include <vector>

#include "summaries/component.h"
#include "summaries/source.h"

namespace esox {

class KeyvalueState final : public SummarySource {
 public:
  explicit KeyvalueState(Ask own) : own_(std::move(own)) {}
  void begin() override {}
  std::vector<Component> take() override;

 private:
  Ask own_;
};

// What there can be, and what a difference means.
std::span<const ComponentFacts> keyvalue_facts();

// Of the reply to DUMP.
std::vector<Component> keyvalue_components(const Output& dump);

}  // namespace esox
