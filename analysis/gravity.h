// SPDX-License-Identifier: Apache-2.0
// Which of several differences a user would mind most: what a report leads with, and what a finding
// is told by.
//
// First what a client was told, then what is damaged or lost in the state, then what nobody has
// asked for: numbers beside a reply, counters and logs. What a component's difference means is its
// target's to say (ComponentMeaning); names are not looked at. Pure.
#pragma once

#include <string>
#include <vector>

#include "analysis/comparison.h"

namespace esox {

enum class Gravity {
  kReply,    // an answer: rows, an error, what was affected
  kDamage,   // two structures disagree, or something was left over
  kContent,  // what requests left
  kInside,   // of a server that tells of its own structures: what no client sees
  kDetail,   // of a reply: warnings, numbers beside it
  kDerived,  // counters, logs
};

Gravity gravity_of(OutputPart part);
Gravity gravity_of(const std::string& component, ComponentMeaning meaning);

// One place that differs, of a comparison that outlives it: one of the two.
struct GraveDifference {
  Gravity gravity = Gravity::kReply;
  const RequestComparison* request = nullptr;
  const OutputDifference* reply = nullptr;  // of the request
  const ComponentComparison* component = nullptr;
};

// All differences, the gravest first; of one gravity in the comparison's own order. Components that
// could not be compared are not among them.
std::vector<GraveDifference> by_gravity(const Comparison& comparison);

}  // namespace esox
