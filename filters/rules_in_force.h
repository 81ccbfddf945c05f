// SPDX-License-Identifier: Apache-2.0
// The rules that can apply to an input on a server, and to which place of one execution.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "filters/circumstances.h"
#include "filters/rule.h"
#include "summaries/outcome.h"

namespace esox {

class RulesInForce {
 public:
  // Whether two requests, each given as client and number, were under way at the same time.
  using Overlap = std::function<bool(size_t, size_t, size_t, size_t)>;
  using Rules = std::vector<const Rule*>;

  RulesInForce() = default;  // none
  // `rules` may be null. The pointers given out hold as long as this or a copy lives.
  RulesInForce(std::shared_ptr<const RuleSet> rules, Circumstances circumstances);

  bool empty() const { return rules_.empty(); }
  const std::shared_ptr<const RuleSet>& all() const { return set_; }

  // Rules for a reply, those that make equal (ignore, normalise, unordered) before those that
  // compare (included): what an `included` rule finds contained may have been made equal before.
  Rules for_reply(size_t client, size_t request, const Overlap& overlap) const;
  // For a component of the state: some request must fit the rule's scope. The same order.
  Rules for_component(const std::string& name, const Overlap& overlap) const;
  // The rules that tolerate that a request failed as it did; none if it did not.
  Rules tolerating(size_t client, size_t request, const Output& output,
                   const Overlap& overlap) const;

  // The rules that tolerate that a task of the server's own failed with this message.
  Rules tolerating_task(const std::string& message, const Overlap& overlap) const;

  // Whether the request's reply tells of the one before it.
  bool tells_of_last(size_t client, size_t request) const;

  // The rules by which a request counts as several.
  Rules splitting(size_t client, size_t request, const Overlap& overlap) const;

  // Whether some rule looks at the elements of this component, in some execution.
  bool touches(const std::string& component) const;

 private:
  bool applies(const Rule& rule, size_t client, size_t request, const Overlap& overlap) const;
  bool applies(const Rule& rule, const Overlap& overlap) const;
  Rules chosen(const std::function<bool(const Rule&)>& fits) const;

  std::shared_ptr<const RuleSet> set_;
  Rules rules_;  // of it, that fit the circumstances; in the order to apply them
  Circumstances circumstances_;
};

}  // namespace esox
