// SPDX-License-Identifier: Apache-2.0
// Between an exhaustive search (harness/exhaustive) and executions under control: what a search
// asks for as the strategy `prefix` takes it, and what the preload tells of an execution under it
// as a search takes it.
#pragma once

#include <vector>

#include "harness/exhaustive/schedule_runner.h"
#include "preload/protocol/waiting.h"
#include "preload/strategy/spec.h"

namespace esox {

std::vector<Choice> tape_of(const exhaustive::Beginning& beginning);

// Whether it is usable, and a violation, and ended early, is for the caller to say.
exhaustive::ExecutedSchedule schedule_of(const std::vector<WaitingThread>& records);

}  // namespace esox
