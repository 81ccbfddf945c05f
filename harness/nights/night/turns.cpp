// SPDX-License-Identifier: Apache-2.0
#include "harness/nights/night/turns.h"

#include <algorithm>
#include <tuple>

namespace esox {
namespace {

uint64_t divided_up(uint64_t number, uint64_t by) {
  return (number + by - 1) / by;
}

// At most half of the nights in which each is to have its turn may be a rest.
uint64_t rest_of(const TurnRules& rules) {
  return rules.within == 0 ? rules.rest_nights : std::min(rules.rest_nights, rules.within / 2);
}

bool rests(const TurnHistory& one, const TurnRules& rules) {
  return one.last_night != 0 && one.yield == TurnYield::kSaturated &&
         rules.night - one.last_night <= rest_of(rules);
}

// The fewest places of which so many are the queue's.
uint64_t places_for(uint64_t queue) {
  uint64_t places = queue + queue / (kFertileEvery - 1);
  while (places > 0 && queue_places(places - 1) >= queue) --places;
  return places;
}

std::vector<size_t> interleaved(const std::vector<size_t>& queue,
                                const std::vector<TurnHistory>& history) {
  std::vector<size_t> fertile;  // in rank order
  for (const size_t i : queue) {
    if (history[i].last_night != 0 && history[i].yield == TurnYield::kFertile) fertile.push_back(i);
  }
  std::ranges::sort(fertile);
  std::vector<bool> taken(history.size());
  std::vector<size_t> order;
  const auto take_next = [&](const std::vector<size_t>& from, size_t& at) {
    while (at < from.size() && taken[from[at]]) ++at;
    if (at == from.size()) return false;
    taken[from[at]] = true;
    order.push_back(from[at]);
    return true;
  };
  size_t next_of_queue = 0;
  size_t next_fertile = 0;
  while (order.size() < queue.size()) {
    const bool bonus = (order.size() + 1) % kFertileEvery == 0;
    if (bonus && take_next(fertile, next_fertile)) continue;
    if (!take_next(queue, next_of_queue)) break;
  }
  return order;
}

}  // namespace

uint64_t queue_places(uint64_t places) {
  return places - places / kFertileEvery;
}

TurnPlan plan_turns(const std::vector<TurnHistory>& history, const TurnRules& rules) {
  TurnPlan plan;
  std::vector<size_t> queue;
  for (size_t i = 0; i < history.size(); ++i) {
    (rests(history[i], rules) ? plan.resting : queue).push_back(i);
  }
  std::ranges::sort(queue, [&](size_t a, size_t b) {
    const auto key = [&](size_t i) {
      return std::tuple(history[i].last_night, history[i].yield != TurnYield::kFertile, i);
    };
    return key(a) < key(b);
  });
  plan.ranking = interleaved(queue, history);
  if (rules.most && plan.ranking.size() > *rules.most) {
    const auto end = plan.ranking.begin() + static_cast<ptrdiff_t>(*rules.most);
    plan.later.assign(end, plan.ranking.end());
    plan.ranking.erase(end, plan.ranking.end());
  }
  const uint64_t all = history.size();
  if (all == 0) return plan;
  std::optional<uint64_t> reach = rules.reach;
  if (rules.most) reach = std::min(reach.value_or(*rules.most), *rules.most);
  if (reach && *reach > 0) {
    const uint64_t served = std::max<uint64_t>(queue_places(std::min(*reach, all)), 1);
    plan.nights_until_all = rest_of(rules) + (*reach >= all ? 1 : divided_up(all, served));
  }
  if (rules.within > 0) {
    const uint64_t nights = std::max<uint64_t>(rules.within - rest_of(rules), 1);
    plan.must_reach = std::min<uint64_t>(places_for(divided_up(all, nights)), plan.ranking.size());
  }
  return plan;
}

}  // namespace esox
