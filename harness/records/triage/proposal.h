// SPDX-License-Identifier: Apache-2.0
// A filter for a false positive: rules (docs/filters.md) that forgive one finding and as little
// else as the language can say. A beginning for a person, who has to write why it is forgiven.
//
// Each difference from the nearest serial order becomes one rule, with the narrowest place (a
// column rather than rows, one direction rather than either) and the whole scope: the kinds of
// statement, what was under way beside them, the table, the engine.
#pragma once

#include <string>

#include "analysis/finding.h"

namespace esox {

struct Proposal {
  std::string yaml;     // a whole file
  std::string why_not;  // not empty: no rule can forgive this, and why
};

Proposal propose_rules(const Finding& finding);

}  // namespace esox
