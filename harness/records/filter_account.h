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
#include "base/record/record.h"
#include "filters/rule.h"
#include "inputs/input.h"

namespace esox {

// ---- how records hold values of the rooms below: the key of an input, the class of a verdict

void each_field(auto& f, Of<InputKey>) {
  f("input", &InputKey::input, kRequired);
  f("engine", &InputKey::engine);
  f("setting", &InputKey::setting);
}

inline void write_value(ValueWriter& out, VerdictClass verdict) {
  out.put(std::string(class_name(verdict)));
}

// By its name; in older memories of hunts by its number.
inline void read_value(const ValueReader& in, VerdictClass& verdict) {
  if (!in.is_string()) {
    verdict = static_cast<VerdictClass>(in.number(static_cast<uint64_t>(VerdictClass::kDegraded)));
    return;
  }
  const auto known = class_from_name(in.text());
  if (!known) in.refuse("is '" + in.text() + "', a class that this esox does not know");
  verdict = *known;
}

// ---- the account

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

void each_field(auto& f, Of<RuleAccount>) {
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
void each_place(auto& f, Of<RuleAccount>) {
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
