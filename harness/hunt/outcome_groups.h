// SPDX-License-Identifier: Apache-2.0
// The distinct outcomes of one input's executions: how often each came, and what explains it.
//
// Two executions belong together if they were judged alike and their outcomes are equal outside the
// masks; those that did not end, if they broke by the same cause; those not judged, if for the same
// reasons. Masks grow while an input is explored, so groups are merged once more at the end.
//
// Pure. Used by one thread.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analysis/execution_record.h"
#include "analysis/linearization.h"
#include "analysis/masks.h"
#include "harness/hunt/exploration.h"
#include "summaries/outcome.h"

namespace esox {

struct OutcomeGroup {
  VerdictClass verdict = VerdictClass::kNone;
  bool latent = false;
  uint64_t count = 0;
  uint64_t confirmed = 0;  // violations that replayed
  std::string doubt;       // of a violation that did not
  uint64_t first_execution = 0;
  uint64_t first_seed = 0;
  EndingKind ending = EndingKind::kFinished;
  std::string cause;                     // of a violation: its id
  std::vector<std::string> reasons;      // why it was not judged
  std::vector<std::string> explanation;  // of a violation (synopsis.h)
  std::vector<std::string> orders;       // serial orders with this outcome: their names
  std::vector<std::string> forgiven;     // the filters that it took, and what they hid
  Outcome outcome;                       // of the first execution
};

class OutcomeGroups {
 public:
  // `masks` are those of now.
  void add(const Judged& judged, const Input& input, const Masks& masks);
  // Most frequent first.
  std::vector<OutcomeGroup> take(const Masks& masks) &&;

 private:
  void add(OutcomeGroup group, const Masks& masks);
  OutcomeGroup* find(const OutcomeGroup& group, const Masks& masks);

  std::vector<OutcomeGroup> groups_;
};

}  // namespace esox
