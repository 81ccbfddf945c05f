// SPDX-License-Identifier: Apache-2.0
// Draws the data choices of one execution (protocol/data_choice.h), or follows recorded ones.
//
// Whether an opportunity is taken follows from the execution's seed, the kind, the thread and the
// opportunity's number, and from nothing else: neither from the strategy's draws nor from those of
// another kind. So switching one kind on leaves the others, and the schedule up to the first choice
// taken, as they were.
//
// The scheduler that owns it guards it, and records what is taken.
#pragma once

#include <cstdint>
#include <span>

#include "preload/protocol/data_choice.h"
#include "preload/protocol/layout.h"

namespace esox {

class DataChoices {
 public:
  // `values` are the recorded ones of a replay, else none. They are put in order, the choices among
  // waiters first, each part as it was; gives the number of those. What was recorded is followed;
  // kinds of which nothing was recorded are drawn as `modes` say. `values` must stay in place.
  uint32_t begin(const DataChoiceModes& modes, uint64_t seed, std::span<uint64_t> values);

  // The one comparison that an operation costs while a kind is off.
  bool active(DataChoiceKind kind) const { return (active_ & bit(kind)) != 0; }
  // Either of the two by which a wait ends.
  bool active_for_waits() const {
    return (active_ & (bit(DataChoiceKind::kSpuriousWake) | bit(DataChoiceKind::kEarlyTimeout))) !=
           0;
  }

  // The thread's next opportunity of a kind that is active; `surely`: drawn or not. False: not
  // taken.
  bool take(DataChoiceKind kind, ThreadId thread, DataChoice* choice, bool surely = false);

  // Whether the waiter is to be chosen that `thread`'s signal wakes; else it is the first.
  bool chooses_waiter(ThreadId thread);

  // Recorded choices whose opportunity has not come.
  uint32_t unreached() const { return unreached_; }

 private:
  static constexpr uint32_t bit(DataChoiceKind kind) { return 1u << static_cast<uint8_t>(kind); }
  uint64_t draw(const DataChoice& opportunity) const;
  bool recorded(DataChoice* opportunity);

  DataChoiceModes modes_;
  uint64_t seed_ = 0;
  std::span<const uint64_t> recorded_;
  uint32_t active_ = 0;    // a bit per kind
  uint32_t followed_ = 0;  // the same: those of which something was recorded
  uint32_t unreached_ = 0;
  uint32_t opportunities_[kDataChoiceKinds][kMaxSlots] = {};  // so far; [0] is of signals
};

}  // namespace esox
