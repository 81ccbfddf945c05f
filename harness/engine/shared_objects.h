// SPDX-License-Identifier: Apache-2.0
// Which objects the threads of an execution share, and how often each uses them: what a strategy
// that looks at single objects (preload/strategy/surw.h) is told before the next execution.
#pragma once

#include <span>
#include <vector>

#include "preload/protocol/object_points.h"
#include "preload/protocol/trace_event.h"

namespace esox {

// The objects on which two threads have operations whose order matters, in the order of first use,
// at most kMaxSharedObjects of them. A serial execution's trace will do: it has all points.
//
// A lock that was initialised during the execution counts under its address, as it does where
// threads are chosen (Pending), whatever was there before.
std::vector<ObjectPoints> shared_objects_of(std::span<const TraceEvent> trace);

}  // namespace esox
