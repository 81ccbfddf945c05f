// SPDX-License-Identifier: Apache-2.0
// Whose turn it is tonight: the order in which a stage explores its inputs (times engines).
//
// There is one queue. In front are those that never had a turn, then those whose last one is
// longest ago; among equals a fertile one comes before another, and then the better-ranked. One
// that is saturated rests for some nights. Every fourth place belongs to a fertile input that would
// not be due yet, the best-ranked first: where something is to be found, more of it is looked for.
//
// So if a night reaches the first r places, it serves at least s = r - floor(r / 4) of the queue's
// front. Nobody overtakes an input twice - whoever was served is behind it - so that each of n
// inputs is served within rest + ceil(n / s) nights after its last turn. That number is stated.
//
// Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace esox {

enum class TurnYield { kUnknown, kSaturated, kSome, kFertile };

// What past nights did with one input on one engine.
struct TurnHistory {
  uint64_t last_night = 0;  // 0: it never had a turn
  TurnYield yield = TurnYield::kUnknown;
};

struct TurnRules {
  uint64_t night = 1;  // tonight's number, from 1
  uint64_t rest_nights = 0;
  uint64_t within = 0;           // nights in which each is to have its turn; 0: as it comes
  std::optional<uint64_t> most;  // so many fit into tonight's budget
  // So many a night reaches, as far as is known.
  std::optional<uint64_t> reach;
};

struct TurnPlan {
  std::vector<size_t> ranking;    // tonight's, by index
  std::vector<size_t> resting;    // saturated
  std::vector<size_t> later;      // beyond `most`
  uint64_t nights_until_all = 0;  // 0: not known
  // So many of `ranking` must be reached tonight for `within` to be kept; 0: nobody asked.
  uint64_t must_reach = 0;
};

// `history` in rank order.
TurnPlan plan_turns(const std::vector<TurnHistory>& history, const TurnRules& rules);

inline constexpr uint64_t kFertileEvery = 4;

// The places of the queue's front among the first `places`.
uint64_t queue_places(uint64_t places);

}  // namespace esox
