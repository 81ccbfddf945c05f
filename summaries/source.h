// SPDX-License-Identifier: Apache-2.0
// Where a state summary comes from. One implementation per kind of source: the server's own
// interface (targets/mysqld/state/interface.h), its annotations, its memory.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "summaries/component.h"
#include "summaries/outcome.h"

namespace esox {

// Sends one request on some connection and gives the reply. Must not throw: a lost connection is an
// Output with answered == false and the reason in message. Called from one thread at a time.
using Ask = std::function<Output(const std::string& text)>;

class SummarySource {
 public:
  virtual ~SummarySource() = default;

  // After setup and before the execution is armed: notes what counts as "before" (positions in
  // logs). Changes nothing in the server's data. Calling it again starts anew.
  virtual void begin() {}

  // When all sessions have finished. Never throws for what the server says: a component that cannot
  // be taken is there, unavailable, with the reason. Names need not be sorted or unique
  // (make_summary sees to both).
  virtual std::vector<Component> take() = 0;
};

}  // namespace esox
