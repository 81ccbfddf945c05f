// SPDX-License-Identifier: Apache-2.0
#include "filters/rules_in_force.h"

#include <algorithm>
#include <utility>

#include "base/text/wildcard.h"
#include "filters/rewrite.h"

namespace esox {

RulesInForce::RulesInForce(std::shared_ptr<const RuleSet> rules, Circumstances circumstances)
    : set_(std::move(rules)), circumstances_(std::move(circumstances)) {
  if (set_ == nullptr) return;
  for (const Rule& rule : set_->rules) {
    if (fits(rule, circumstances_)) rules_.push_back(&rule);
  }
  std::stable_partition(rules_.begin(), rules_.end(),
                        [](const Rule* rule) { return rule->kind != RuleKind::kIncluded; });
}

bool RulesInForce::applies(const Rule& rule, size_t client, size_t request,
                           const Overlap& overlap) const {
  const auto& clients = circumstances_.requests;
  if (client >= clients.size() || request >= clients[client].size()) return false;
  const std::vector<RequestFacts>& own = clients[client];
  if (!fits(rule.scope, own[request])) return false;
  const auto is_first = [&](const RequestFacts& one) {
    return is_of_kind(one.kind, rule.scope.after);
  };
  const auto end = own.begin() + static_cast<ptrdiff_t>(request);
  if (!rule.scope.after.empty() && std::none_of(own.begin(), end, is_first)) return false;
  if (rule.scope.beside.empty()) return true;
  for (size_t c = 0; c < clients.size(); ++c) {
    for (size_t r = 0; c != client && r < clients[c].size(); ++r) {
      if (is_of_kind(clients[c][r].kind, rule.scope.beside) && overlap(client, request, c, r)) {
        return true;
      }
    }
  }
  return false;
}

bool RulesInForce::tells_of_last(size_t client, size_t request) const {
  const auto& clients = circumstances_.requests;
  return client < clients.size() && request < clients[client].size() &&
         clients[client][request].tells_of_last;
}

bool RulesInForce::applies(const Rule& rule, const Overlap& overlap) const {
  for (size_t c = 0; c < circumstances_.requests.size(); ++c) {
    for (size_t r = 0; r < circumstances_.requests[c].size(); ++r) {
      if (applies(rule, c, r, overlap)) return true;
    }
  }
  return false;
}

RulesInForce::Rules RulesInForce::chosen(const std::function<bool(const Rule&)>& fits_in) const {
  Rules some;
  for (const Rule* rule : rules_) {
    if (fits_in(*rule)) some.push_back(rule);
  }
  return some;
}

RulesInForce::Rules RulesInForce::for_reply(size_t client, size_t request,
                                            const Overlap& overlap) const {
  return chosen(
      [&](const Rule& rule) { return rule.reply && applies(rule, client, request, overlap); });
}

RulesInForce::Rules RulesInForce::for_component(const std::string& name,
                                                const Overlap& overlap) const {
  return chosen([&](const Rule& rule) {
    return !rule.component.empty() && matches(rule.component, name) && applies(rule, overlap);
  });
}

RulesInForce::Rules RulesInForce::tolerating(size_t client, size_t request, const Output& output,
                                             const Overlap& overlap) const {
  return chosen([&](const Rule& rule) {
    return rule.kind == RuleKind::kTolerate && tells_of_failure(rule, output) &&
           applies(rule, client, request, overlap);
  });
}

RulesInForce::Rules RulesInForce::tolerating_task(const std::string& message,
                                                  const Overlap& overlap) const {
  return chosen([&](const Rule& rule) {
    return rule.task && rule.task->found_in(message).value_or(false) && applies(rule, overlap);
  });
}

RulesInForce::Rules RulesInForce::splitting(size_t client, size_t request,
                                            const Overlap& overlap) const {
  return chosen([&](const Rule& rule) {
    return rule.kind == RuleKind::kSplit && applies(rule, client, request, overlap);
  });
}

bool RulesInForce::touches(const std::string& component) const {
  return std::ranges::any_of(rules_, [&](const Rule* rule) {
    return !rule->component.empty() && matches(rule->component, component);
  });
}

}  // namespace esox
