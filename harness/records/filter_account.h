// SPDX-License-Identifier: Apache-2.0
// What each rule forgave: in how many executions it was needed for an order to explain them, with
// the first of them as an example. A filter never hides silently.
//
// Plain; whoever shares one locks it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analysis/verdict.h"
#include "filters/rule.h"
#include "harness/records/key_fields.h"
#include "inputs/input.h"

namespace esox {

// The key, and what follows it, is of the first execution; meaningless where there is none.
struct RuleAccount : InputKey {
  std::string name;
  std::string kind;
  std::string reason;
  std::string owner;
  uint64_t executions = 0;  // that no order explains without it
  uint64_t execution = 0;
  uint64_t seed = 0;
  std::string example;  // "the reply to B1: rows: lacks 't1', 'BASE TABLE'"
};

template <class F>
void each_field(F& f, Of<RuleAccount>) {
  f("rule", &RuleAccount::name, kRequired);
  f("kind", &RuleAccount::kind);
  f("owner", &RuleAccount::owner);
  f("reason", &RuleAccount::reason);
  f("executions", &RuleAccount::executions);
  f.group(
      "example",
      [](auto& example) {
        each_field(example, Of<InputKey>());
        example("execution", &RuleAccount::execution);
        example("seed", &RuleAccount::seed);
        example("forgiven", &RuleAccount::example);
      },
      +[](const RuleAccount& it) { return it.executions > 0; });
}
template <class F>
void each_place(F& f, Of<RuleAccount>) {
  f(&RuleAccount::name, &RuleAccount::executions, &RuleAccount::input, &RuleAccount::engine,
    &RuleAccount::execution, &RuleAccount::seed, &RuleAccount::example);
}

using FilterAccount = std::vector<RuleAccount>;

// By rule: its executions add up, and the first example stays.
void add_value(FilterAccount& all, const FilterAccount& more);

// One entry per rule, in their order; `rules` may be null.
FilterAccount empty_account(const RuleSet* rules);

// Notes what an accepted execution took, of the rules that have an entry.
void note_forgiven(FilterAccount& account, const ConcreteInput& input,
                   const ExecutionRecord& record, const Verdict& verdict);

// For people; empty where nothing was forgiven.
std::string account_text(const FilterAccount& account);

}  // namespace esox
