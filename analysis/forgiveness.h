// SPDX-License-Identifier: Apache-2.0
// The tester's rules for one execution: which of them are about a given reply or component, seeing
// who was under way beside whom.
#pragma once

#include "analysis/execution_record.h"
#include "filters/rules_in_force.h"

namespace esox {

// Whether two requests were under way at the same time. One that never began was beside nothing.
bool overlap(const Stamps& stamps, size_t client, size_t request, size_t other, size_t its_request);

class Forgiveness {
 public:
  Forgiveness() = default;  // forgives nothing
  // Both must outlive it.
  Forgiveness(const RulesInForce& rules, const Stamps& stamps) : rules_(&rules), stamps_(&stamps) {}

  // For two executions rather than an execution and a serial order: without what holds in one
  // direction only (included), and without tolerance.
  Forgiveness between_executions() const;

  bool empty() const { return rules_ == nullptr || rules_->empty(); }
  RulesInForce::Rules for_reply(size_t client, size_t request) const;
  RulesInForce::Rules for_component(const std::string& name) const;
  RulesInForce::Rules splitting(size_t client, size_t request) const;
  bool tells_of_last(size_t client, size_t request) const {
    return rules_ != nullptr && rules_->tells_of_last(client, request);
  }
  RulesInForce::Rules tolerating(size_t client, size_t request, const Output& output) const;
  RulesInForce::Rules tolerating_task(const std::string& message) const;

 private:
  RulesInForce::Rules fit(RulesInForce::Rules rules) const;

  const RulesInForce* rules_ = nullptr;
  const Stamps* stamps_ = nullptr;
  bool both_ways_ = false;
};

}  // namespace esox
