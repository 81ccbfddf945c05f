// SPDX-License-Identifier: Apache-2.0
// Data choices: what a call gives that may give several things, apart from who runs next.
//
// Which waiter a signal wakes, that a wait ends by itself, that a timed wait ends before what it
// waits for has had its chance, that a trylock fails, that a read or write moves less than it was
// asked for, that a call is interrupted, that a thread begins while its creator still creates, and
// that a server's own timer comes while its clients work. POSIX allows each; most executions see
// none. Each has a mode; what the modes mean and which are in force unless asked otherwise is in
// docs/data-choices.md.
//
// A choice that is *taken* is recorded beside the choices among waiters, in one 64-bit word: its
// kind, the thread, and the number of the opportunity among all that this thread has had of this
// kind. Unlike the number of a scheduling point it means the same after switches were taken away.
#pragma once

#include <cstdint>

#include "preload/protocol/trace_event.h"

namespace esox {

enum class DataChoiceMode : uint8_t { kOff = 0, kRare = 1, kOn = 2 };

// A taken choice is one in so many opportunities.
inline constexpr uint32_t kRareOdds = 16;
inline constexpr uint32_t kOnOdds = 2;

// Their numbers are part of the record: append, never renumber. 0 is none, and 128 the most.
enum class DataChoiceKind : uint8_t {
  kNone = 0,
  kSpuriousWake = 1,
  kEarlyTimeout = 2,
  kTryFails = 3,
  kShortStream = 4,
  kShortFile = 5,
  kInterrupted = 6,
  kStartPoint = 7,
  kTimer = 8,
};
inline constexpr uint32_t kDataChoiceKinds = 9;

// Every point of a client's is an opportunity for a timer: so much less is one of them taken.
inline constexpr uint32_t kTimerOdds = 16;

// How far time goes on; the variant of kTimer. By a second: what a server does every second (purge,
// statistics); by half a minute: checkpoints.
enum class TimerStep : uint8_t { kEarliest = 0, kSecond = 1, kHalfMinute = 2 };
inline constexpr uint32_t kTimerSteps = 3;

// How many bytes a short transfer moves; the variant of kShortStream and kShortFile.
enum class ShortTransfer : uint8_t { kOneByte = 0, kHalf = 1, kAllButOne = 2 };
inline constexpr uint32_t kShortTransfers = 3;

// By default as it was before there were any: only the waiter is chosen.
struct DataChoiceModes {
  DataChoiceMode signal = DataChoiceMode::kOn;  // which of several waiters; off: the first to wait
  DataChoiceMode spurious = DataChoiceMode::kOff;
  DataChoiceMode early_timeout = DataChoiceMode::kOff;
  DataChoiceMode trylock = DataChoiceMode::kOff;
  DataChoiceMode short_io = DataChoiceMode::kOff;  // rare: of streams; on: of regular files, too
  DataChoiceMode eintr = DataChoiceMode::kOff;
  DataChoiceMode start_order = DataChoiceMode::kOff;
  DataChoiceMode timer = DataChoiceMode::kOff;  // of contexts (preload/scheduler/contexts.cpp)

  bool operator==(const DataChoiceModes&) const = default;
};

constexpr DataChoiceMode mode_of(DataChoiceKind kind, const DataChoiceModes& modes) {
  switch (kind) {
    case DataChoiceKind::kSpuriousWake:
      return modes.spurious;
    case DataChoiceKind::kEarlyTimeout:
      return modes.early_timeout;
    case DataChoiceKind::kTryFails:
      return modes.trylock;
    case DataChoiceKind::kShortStream:
      return modes.short_io;
    case DataChoiceKind::kShortFile:
      return modes.short_io == DataChoiceMode::kOn ? DataChoiceMode::kOn : DataChoiceMode::kOff;
    case DataChoiceKind::kInterrupted:
      return modes.eintr;
    case DataChoiceKind::kStartPoint:
      return modes.start_order;
    case DataChoiceKind::kTimer:
      return modes.timer;
    case DataChoiceKind::kNone:
      break;
  }
  return DataChoiceMode::kOff;
}

// One opportunity; `variant` is what was chosen there.
struct DataChoice {
  DataChoiceKind kind = DataChoiceKind::kNone;
  uint8_t variant = 0;
  ThreadId thread = kNoThread;
  uint32_t ordinal = 0;  // among the thread's opportunities of this kind, from 0
};

// As a recorded value. A choice among waiters is a small number and has no kind.
constexpr uint64_t value_of(const DataChoice& choice) {
  return uint64_t{static_cast<uint8_t>(choice.kind)} << 56 | uint64_t{choice.variant} << 48 |
         uint64_t{choice.thread} << 32 | choice.ordinal;
}

constexpr bool is_taken_choice(uint64_t value) {
  return value >> 56 != 0;
}

constexpr DataChoice choice_of_value(uint64_t value) {
  return {static_cast<DataChoiceKind>(value >> 56), static_cast<uint8_t>(value >> 48),
          static_cast<ThreadId>(value >> 32), static_cast<uint32_t>(value)};
}

}  // namespace esox
