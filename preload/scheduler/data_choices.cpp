// SPDX-License-Identifier: Apache-2.0
#include "preload/scheduler/data_choices.h"

#include "preload/strategy/rng.h"

namespace esox {
namespace {

constexpr uint64_t kSeedSalt = 0x64617461206f6e65;

uint32_t odds_of(DataChoiceKind kind, DataChoiceMode mode) {
  const uint32_t odds = mode == DataChoiceMode::kOn ? kOnOdds : kRareOdds;
  return kind == DataChoiceKind::kTimer ? odds * kTimerOdds : odds;
}

uint32_t variants_of(DataChoiceKind kind) {
  if (kind == DataChoiceKind::kTimer) return kTimerSteps;
  const bool transfer = kind == DataChoiceKind::kShortStream || kind == DataChoiceKind::kShortFile;
  return transfer ? kShortTransfers : 1;
}

}  // namespace

uint32_t DataChoices::begin(const DataChoiceModes& modes, uint64_t seed,
                            std::span<uint64_t> values) {
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

uint64_t DataChoices::draw(const DataChoice& opportunity) const {
  uint64_t state = seed_ ^ kSeedSalt;
  state = splitmix64(state) ^ value_of(opportunity);
  return splitmix64(state);
}

bool DataChoices::recorded(DataChoice* opportunity) {
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

bool DataChoices::take(DataChoiceKind kind, ThreadId thread, DataChoice* choice, bool surely) {
  if (!active(kind) || thread >= kMaxSlots) return false;
  const uint32_t ordinal = opportunities_[static_cast<uint8_t>(kind)][thread]++;
  *choice = {kind, 0, thread, ordinal};
  if ((followed_ & bit(kind)) != 0) return recorded(choice);
  const uint64_t drawn = draw(*choice);
  if (!surely && drawn % odds_of(kind, mode_of(kind, modes_)) != 0) return false;
  choice->variant = static_cast<uint8_t>((drawn >> 32) % variants_of(kind));
  return true;
}

bool DataChoices::chooses_waiter(ThreadId thread) {
  if (modes_.signal != DataChoiceMode::kRare) return modes_.signal == DataChoiceMode::kOn;
  if (thread >= kMaxSlots) return false;
  const uint32_t ordinal = opportunities_[0][thread]++;
  return draw({DataChoiceKind::kNone, 0, thread, ordinal}) % kRareOdds == 0;
}

}  // namespace esox
