// SPDX-License-Identifier: Apache-2.0
// The state of a running annotated server (annotated_state.h), read from its memory.
//
// A server in which nothing is recorded has no components. Nobody is asked and nothing in the
// server changes, so this source is taken before those that ask.
#pragma once

#include <sys/types.h>

#include <memory>
#include <string>
#include <vector>

#include "summaries/annotation/region_copy.h"
#include "summaries/source.h"

namespace esox {

class AnnotatedProcess final : public SummarySource {
 public:
  // Whose state is taken from now on: the server, or another fork of the same one.
  void look_at(pid_t server) { server_ = server; }

  void begin() override {}  // what was recorded before the execution belongs to the state
  std::vector<Component> take() override;

 private:
  pid_t server_ = -1;
  std::unique_ptr<RegionCopy> copy_;
};

}  // namespace esox
