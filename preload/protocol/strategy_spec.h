// SPDX-License-Identifier: Apache-2.0
// What selects a strategy: plain data that crosses the protocol, and the choices of a replay.
#pragma once

#include <cstdint>

#include "preload/protocol/trace_event.h"

namespace esox {

enum class StrategyKind : uint32_t {
  kSerial = 0,    // one request after the other, in the order of SerialStep
  kPct = 1,       // depth
  kRandom = 2,    // switch_probability
  kReplay = 3,    // the recorded choices
  kSegments = 4,  // choices by the points of their own threads
  kPos = 5,
  kPosStar = 6,
  kRapos = 7,
  kWeightedWalk = 8,  // share
  kSurw = 9,          // objects
  kPrefix = 10,       // a beginning that is given, then the plainest way to the end
};

// True if it draws schedules of its own; the others follow an order that is given.
constexpr bool explores(StrategyKind kind) {
  return kind != StrategyKind::kSerial && kind != StrategyKind::kReplay &&
         kind != StrategyKind::kSegments && kind != StrategyKind::kPrefix;
}

struct StrategySpec {
  StrategyKind kind = StrategyKind::kSerial;
  uint32_t depth = 3;                // pct: bug depth d, that is d-1 change points
  double switch_probability = 0.05;  // random: chance to redraw the running thread at a point
  uint32_t share = 12;               // wrw: draws in an execution of the expected length
  uint32_t objects = 1;              // surw: shared objects drawn for an execution; 0: all
};
static_assert(sizeof(StrategySpec) == 24, "another layout: raise kProtocolVersion (layout.h)");

// "At scheduling point `point` the running thread became `thread`." Points where the running thread
// stayed the same are not recorded, so that the list reads as the list of context switches.
struct Choice {
  uint32_t point;
  ThreadId thread;
  uint16_t reserved;
};
static_assert(sizeof(Choice) == 8);

// Of a serial order: whether contexts come before the next request, or only where no client can go
// on; and before which requests, or the end, their timers come, too: it does not follow from the
// requests when that is, so all of these are serial executions.
enum class ContextsFirst : uint32_t {
  kNo = 0,
  kTimersAtEven = 1,  // before the first request, the third ...
  kTimersAtOdd = 2,
  kTimersAtAll = 3,
};

}  // namespace esox
