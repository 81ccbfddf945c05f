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
#include "preload/strategy/rng.h"

namespace esox {

class DataChoices {
 public:
  // `values` are the recorded ones of a replay, else none. They are put in order, the choices among
  // waiters first, each part as it was; gives the number of those. What was recorded is followed;
  // kinds of which nothing was recorded are drawn as `modes` say. `values` must stay in place.
  uint32_t begin(const DataChoiceModes& modes, uint64_t seed, std::span<uint64_t> values) {
    modes_ = modes;
    seed_ = seed;
    active_ = followed_ = 0;
    // A stable partition by insertion: a finding has few of either, and there is no heap here.
    uint32_t waiters = 0;
    for (size_t i = 0; i < values.size(); ++i) {
      const uint64_t value = values[i];
      if (is_taken_choice(value)) continue;
      for (size_t at = i; at > waiters; --at) values[at] = values[at - 1];
      values[waiters++] = value;
    }
    recorded_ = values.subspan(waiters);
    unreached_ = static_cast<uint32_t>(recorded_.size());
    for (const uint64_t value : recorded_) {
      const auto kind = static_cast<uint32_t>(choice_of_value(value).kind);
      if (kind < kDataChoiceKinds) followed_ |= 1u << kind;
    }
    active_ = followed_;
    for (uint32_t kind = 1; kind < kDataChoiceKinds; ++kind) {
      if (mode_of(static_cast<DataChoiceKind>(kind), modes) != DataChoiceMode::kOff) {
        active_ |= 1u << kind;
      }
    }
    const bool counts = active_ != 0 || modes.signal == DataChoiceMode::kRare;
    if (!counts) return waiters;  // not written to: in a fork a write costs a page's copy
    for (auto& kind : opportunities_) {
      for (uint32_t& number : kind) number = 0;
    }
    return waiters;
  }

  // The one comparison that an operation costs while a kind is off.
  bool active(DataChoiceKind kind) const { return (active_ & bit(kind)) != 0; }
  // Either of the two by which a wait ends.
  bool active_for_waits() const {
    return (active_ & (bit(DataChoiceKind::kSpuriousWake) | bit(DataChoiceKind::kEarlyTimeout))) !=
           0;
  }

  // The thread's next opportunity of a kind that is active. False: not taken.
  bool take(DataChoiceKind kind, ThreadId thread, DataChoice* choice) {
    if (!active(kind) || thread >= kMaxSlots) return false;
    const uint32_t ordinal = opportunities_[static_cast<uint8_t>(kind)][thread]++;
    *choice = {kind, 0, thread, ordinal};
    if ((followed_ & bit(kind)) != 0) return recorded(choice);
    const uint64_t drawn = draw(*choice);
    if (drawn % odds_of(mode_of(kind, modes_)) != 0) return false;
    if (is_short_transfer(kind)) {
      choice->variant = static_cast<uint8_t>((drawn >> 32) % kShortTransfers);
    }
    return true;
  }

  // Whether the waiter is to be chosen that `thread`'s signal wakes; else it is the first.
  bool chooses_waiter(ThreadId thread) {
    if (modes_.signal != DataChoiceMode::kRare) return modes_.signal == DataChoiceMode::kOn;
    if (thread >= kMaxSlots) return false;
    const uint32_t ordinal = opportunities_[0][thread]++;
    return draw({DataChoiceKind::kNone, 0, thread, ordinal}) % kRareOdds == 0;
  }

  // Recorded choices whose opportunity has not come.
  uint32_t unreached() const { return unreached_; }

 private:
  static constexpr uint64_t kSeedSalt = 0x64617461206f6e65;

  static uint32_t odds_of(DataChoiceMode mode) {
    return mode == DataChoiceMode::kOn ? kOnOdds : kRareOdds;
  }
  static bool is_short_transfer(DataChoiceKind kind) {
    return kind == DataChoiceKind::kShortStream || kind == DataChoiceKind::kShortFile;
  }
  static constexpr uint32_t bit(DataChoiceKind kind) { return 1u << static_cast<uint8_t>(kind); }
  uint64_t draw(const DataChoice& opportunity) const {
    uint64_t state = seed_ ^ kSeedSalt;
    state = splitmix64(state) ^ value_of(opportunity);
    return splitmix64(state);
  }

  bool recorded(DataChoice* opportunity) {
    for (const uint64_t value : recorded_) {
      const DataChoice taken = choice_of_value(value);
      if (taken.kind != opportunity->kind || taken.thread != opportunity->thread) continue;
      if (taken.ordinal != opportunity->ordinal) continue;
      opportunity->variant = taken.variant;
      --unreached_;
      return true;
    }
    return false;
  }

  DataChoiceModes modes_;
  uint64_t seed_ = 0;
  std::span<const uint64_t> recorded_;
  uint32_t active_ = 0;    // a bit per kind
  uint32_t followed_ = 0;  // the same: those of which something was recorded
  uint32_t unreached_ = 0;
  uint32_t opportunities_[kDataChoiceKinds][kMaxSlots] = {};  // so far; [0] is of signals
};

}  // namespace esox
