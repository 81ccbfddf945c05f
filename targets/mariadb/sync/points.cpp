// SPDX-License-Identifier: Apache-2.0
#include "targets/mariadb/sync/points.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <regex>

namespace esox {
namespace {

// Of several holds, so that there are at most some thousand choices.
constexpr size_t kMostPoints[] = {1000, 1000, 60, 12, 6};

// By their distance from the place, which lies between two points.
std::vector<SyncPoint> nearest_first(const HeldRequest& held, size_t most) {
  std::vector<size_t> order(held.points.size());
  std::iota(order.begin(), order.end(), size_t{0});
  if (held.passed) {
    const auto distance = [&](size_t point) {
      return std::abs(2 * static_cast<long>(point) + 1 - 2 * static_cast<long>(*held.passed));
    };
    std::stable_sort(order.begin(), order.end(),
                     [&](size_t a, size_t b) { return distance(a) < distance(b); });
  }
  order.resize(std::min(order.size(), most));
  std::vector<SyncPoint> points;
  points.reserve(order.size());
  for (const size_t point : order) points.push_back(held.points[point]);
  return points;
}

// A trace begins in the statement that switches it on, and ends in the one that switches it off.
// Hits count from the beginning: a point that is set is passed at the end of that statement, too.
std::vector<SyncPoint> between_reads(const std::vector<SyncPoint>& points) {
  constexpr const char* kRead = "before_do_command_net_read";
  const auto is_read = [&](const SyncPoint& point) { return point.name == kRead; };
  const auto first = std::find_if(points.begin(), points.end(), is_read);
  const auto last = std::find_if(points.rbegin(), points.rend(), is_read).base();
  return first == points.end() || last - first < 2 ? points
                                                   : std::vector<SyncPoint>(first + 1, last - 1);
}

}  // namespace

std::vector<SyncPoint> points_in_trace(const std::string& trace) {
  static const std::regex kHit("hit: '([^']+)'");
  std::vector<SyncPoint> points;
  std::map<std::string, unsigned> hits;
  for (std::sregex_iterator hit(trace.begin(), trace.end(), kHit), end; hit != end; ++hit) {
    const std::string name = (*hit)[1];
    points.push_back({name, ++hits[name]});
  }
  return between_reads(points);
}

std::vector<std::vector<SyncPoint>> point_choices(const std::vector<HeldRequest>& held) {
  struct Choice {
    size_t rank = 0;  // the sum of its points'
    std::vector<SyncPoint> points;
  };
  const size_t most = kMostPoints[std::min(held.size(), std::size(kMostPoints) - 1)];
  std::vector<Choice> choices(1);
  for (const HeldRequest& one : held) {
    const std::vector<SyncPoint> points = nearest_first(one, most);
    std::vector<Choice> longer;
    longer.reserve(choices.size() * points.size());
    for (const Choice& choice : choices) {
      for (size_t rank = 0; rank < points.size(); ++rank) {
        longer.push_back({choice.rank + rank, choice.points});
        longer.back().points.push_back(points[rank]);
      }
    }
    choices = std::move(longer);
  }
  std::stable_sort(choices.begin(), choices.end(),
                   [](const Choice& a, const Choice& b) { return a.rank < b.rank; });
  std::vector<std::vector<SyncPoint>> points;
  points.reserve(choices.size());
  for (Choice& choice : choices) points.push_back(std::move(choice.points));
  return points;
}

}  // namespace esox
