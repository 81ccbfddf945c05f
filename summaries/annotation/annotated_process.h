// SPDX-License-Identifier: Apache-2.0
// The state of a running annotated server (annotated_state.h), read from its memory.
//
// A server in which nothing is recorded has no components. Nobody is asked and nothing in the
// server changes, so this source is taken before those that ask.
#pragma once

#include <sys/types.h>

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "summaries/annotation/region_copy.h"
#include "summaries/source.h"

namespace esox {

class AnnotatedProcess final : public SummarySource {
 public:
  // `server` gives the process to read: the server, or another fork of the same one.
  explicit AnnotatedProcess(std::function<pid_t()> server) : server_(std::move(server)) {}

  void begin() override {}  // what was recorded before the execution belongs to the state
  std::vector<Component> take() override;

 private:
  std::function<pid_t()> server_;
  bool nothing_recorded_ = false;  // as the server was loaded, so are its forks
  std::unique_ptr<RegionCopy> copy_;
};

}  // namespace esox
