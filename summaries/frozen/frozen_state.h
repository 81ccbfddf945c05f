// SPDX-License-Identifier: Apache-2.0
// The state of a server as its memory has it, read from outside while all its threads stand still.
// No code in the server, and no change to it; only debug information, and a description of what to
// read (docs/reading-a-frozen-server.md).
#pragma once

#include <sys/types.h>

#include <functional>
#include <memory>
#include <vector>

#include "summaries/frozen/description.h"
#include "summaries/frozen/freeze.h"
#include "summaries/source.h"

namespace esox {

class FrozenState final : public SummarySource {
 public:
  // `process`: the server's, at the time of take(), as we see it.
  FrozenState(std::function<pid_t()> process,
              std::vector<std::shared_ptr<const StructureDescriptions>> descriptions,
              FreezeLimits limits = {});

  std::vector<Component> take() override;

 private:
  std::function<pid_t()> process_;
  std::vector<std::shared_ptr<const StructureDescriptions>> descriptions_;
  FreezeLimits limits_;
};

}  // namespace esox
