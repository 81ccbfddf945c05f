// SPDX-License-Identifier: Apache-2.0
#include "analysis/forgiveness.h"

namespace esox {
namespace {

const Stamp* stamp_at(const Stamps& stamps, size_t client, size_t request) {
  if (client >= stamps.size() || request >= stamps[client].size()) return nullptr;
  return &stamps[client][request];
}

}  // namespace

bool overlap(const Stamps& stamps, size_t client, size_t request, size_t other,
             size_t its_request) {
  const Stamp* a = stamp_at(stamps, client, request);
  const Stamp* b = stamp_at(stamps, other, its_request);
  if (a == nullptr || b == nullptr) return false;
  return a->response >= b->invocation && b->response >= a->invocation;
}

Forgiveness Forgiveness::between_executions() const {
  Forgiveness both = *this;
  both.both_ways_ = true;
  return both;
}

RulesInForce::Rules Forgiveness::fit(RulesInForce::Rules rules) const {
  if (both_ways_) {
    std::erase_if(rules, [](const Rule* rule) { return rule->kind == RuleKind::kIncluded; });
  }
  return rules;
}

RulesInForce::Rules Forgiveness::for_reply(size_t client, size_t request) const {
  if (empty()) return {};
  return fit(rules_->for_reply(client, request, [this](size_t a, size_t b, size_t c, size_t d) {
    return overlap(*stamps_, a, b, c, d);
  }));
}

RulesInForce::Rules Forgiveness::for_component(const std::string& name) const {
  if (empty()) return {};
  return fit(rules_->for_component(name, [this](size_t a, size_t b, size_t c, size_t d) {
    return overlap(*stamps_, a, b, c, d);
  }));
}

RulesInForce::Rules Forgiveness::tolerating(size_t client, size_t request,
                                            const Output& output) const {
  if (empty() || both_ways_) return {};
  return rules_->tolerating(
      client, request, output,
      [this](size_t a, size_t b, size_t c, size_t d) { return overlap(*stamps_, a, b, c, d); });
}

RulesInForce::Rules Forgiveness::tolerating_task(const std::string& message) const {
  if (empty() || both_ways_) return {};
  return rules_->tolerating_task(message, [this](size_t a, size_t b, size_t c, size_t d) {
    return overlap(*stamps_, a, b, c, d);
  });
}

RulesInForce::Rules Forgiveness::splitting(size_t client, size_t request) const {
  if (empty() || both_ways_) return {};
  return rules_->splitting(client, request, [this](size_t a, size_t b, size_t c, size_t d) {
    return overlap(*stamps_, a, b, c, d);
  });
}

}  // namespace esox
