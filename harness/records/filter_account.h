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
#include "inputs/input.h"

namespace esox {

struct RuleAccount {
  std::string name;
  std::string kind;
  std::string reason;
  std::string owner;
  uint64_t executions = 0;  // that no order explains without it

  // The first of them; meaningless where there is none.
  std::string input;
  std::string engine;
  uint64_t execution = 0;
  uint64_t seed = 0;
  std::string example;  // "the reply to B1: rows: lacks 't1', 'BASE TABLE'"
};

using FilterAccount = std::vector<RuleAccount>;

// One entry per rule, in their order; `rules` may be null.
FilterAccount empty_account(const RuleSet* rules);

// Notes what an accepted execution took.
void note_forgiven(FilterAccount& account, const ConcreteInput& input,
                   const ExecutionRecord& record, const Verdict& verdict);

// For people; empty where nothing was forgiven.
std::string account_text(const FilterAccount& account);

}  // namespace esox
