// SPDX-License-Identifier: Apache-2.0
// Comparing under the tester's rules: what a comparison is like once the rules have changed both
// sides, and which of the rules it took.
//
// Only what differs without rules is looked at. The rules are applied to copies of the two sides
// (filters/rewrite.h) and the plain comparison made of those: what it then calls equal is equal but
// for what the rules name. Of the rules, those are told without which more would differ.
#pragma once

#include "analysis/differences.h"
#include "analysis/forgiveness.h"

namespace esox {

// `plain` is the comparison of the same two without rules.
RequestComparison forgive(RequestComparison plain, const Output& concurrent, const Output& serial,
                          const Masks& masks, const RulesInForce::Rules& rules);

// Either side may be null, as in compare_component.
ComponentComparison forgive(ComponentComparison plain, const Component* concurrent,
                            const Component* serial, const Masks& masks,
                            const RulesInForce::Rules& rules);

// "rows: lacks 't1', 'BASE TABLE'"; one line.
std::string difference_text(const RequestComparison& comparison);
std::string difference_text(const ComponentComparison& comparison);

}  // namespace esox
