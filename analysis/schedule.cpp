// SPDX-License-Identifier: Apache-2.0
#include "analysis/schedule.h"

#include <algorithm>
#include <map>
#include <set>

namespace esox {

Schedule to_the_ends(const Schedule& schedule) {
  Schedule whole = schedule;
  std::set<ThreadId> seen;
  for (auto segment = whole.rbegin(); segment != whole.rend(); ++segment) {
    if (seen.insert(segment->thread).second) segment->until = kToTheEnd;
  }
  return tidied(whole);
}

Schedule schedule_of(std::span<const Choice> choices, bool finished) {
  Schedule schedule;
  std::map<ThreadId, uint32_t> passed;
  for (size_t i = 0; i + 1 < choices.size(); ++i) {
    uint32_t& own = passed[choices[i].thread];
    own += choices[i + 1].point - choices[i].point;
    schedule.push_back({choices[i].thread, own});
  }
  if (!choices.empty()) schedule.push_back({choices.back().thread, kToTheEnd});
  return finished ? to_the_ends(schedule) : tidied(schedule);
}

Schedule completed(const Schedule& schedule) {
  Schedule whole = schedule;
  std::set<ThreadId> threads;
  for (const Segment& segment : schedule) threads.insert(segment.thread);
  for (const ThreadId thread : threads) whole.push_back({thread, kToTheEnd});
  return tidied(whole);
}

std::vector<Choice> tape_of(const Schedule& schedule) {
  std::vector<Choice> tape;
  for (const Segment& segment : schedule) tape.push_back({segment.until, segment.thread, 0});
  return tape;
}

size_t switch_count(const Schedule& schedule) {
  return schedule.empty() ? 0 : schedule.size() - 1;
}

Schedule tidied(const Schedule& schedule) {
  Schedule tidy;
  std::map<ThreadId, uint32_t> passed;
  for (const Segment& segment : schedule) {
    if (segment.until <= passed[segment.thread]) continue;
    passed[segment.thread] = segment.until;
    if (!tidy.empty() && tidy.back().thread == segment.thread) {
      tidy.back().until = segment.until;
    } else {
      tidy.push_back(segment);
    }
  }
  return tidy;
}

Schedule without(const Schedule& schedule, size_t first, size_t last) {
  Schedule rest;
  for (size_t i = 0; i < schedule.size(); ++i) {
    if (i < first || i >= last) rest.push_back(schedule[i]);
  }
  return tidied(rest);
}

Schedule done_earlier(const Schedule& schedule, size_t index) {
  Schedule changed = schedule;
  for (size_t i = index; i-- > 0;) {
    if (changed[i].thread != changed[index].thread) continue;
    changed[i].until = changed[index].until;
    return tidied(changed);
  }
  return changed;
}

Schedule ending_at(const Schedule& schedule, size_t index, uint32_t until) {
  Schedule changed = schedule;
  changed[index].until = until;
  return tidied(changed);
}

size_t equal_segments(const Schedule& a, const Schedule& b) {
  if (a == b) return SIZE_MAX;
  const auto [end, other] = std::mismatch(a.begin(), a.end(), b.begin(), b.end());
  return static_cast<size_t>(end - a.begin());
}

uint32_t begin_of(const Schedule& schedule, size_t index) {
  for (size_t i = index; i-- > 0;) {
    if (schedule[i].thread == schedule[index].thread) return schedule[i].until;
  }
  return 0;
}

OwnPoints::OwnPoints(std::span<const Choice> choices, uint64_t points) {
  const uint64_t last_point = points == 0 ? 0 : points - 1;
  for (size_t i = 0; i < choices.size(); ++i) {
    const uint64_t begin = choices[i].point;
    const uint64_t end = i + 1 < choices.size() ? choices[i + 1].point : last_point;
    stretches_.push_back({choices[i].thread, begin, std::max(begin, end)});
  }
}

uint32_t OwnPoints::total(ThreadId thread) const {
  return passed(thread, kNever);
}

uint32_t OwnPoints::passed(ThreadId thread, uint64_t point) const {
  uint64_t count = 0;
  for (const Stretch& stretch : stretches_) {
    if (stretch.thread != thread || stretch.begin >= point) continue;
    count += std::min(point, stretch.end) - stretch.begin;
  }
  return static_cast<uint32_t>(count);
}

uint64_t OwnPoints::point_of(ThreadId thread, uint32_t own) const {
  uint64_t before = 0;
  for (const Stretch& stretch : stretches_) {
    if (stretch.thread != thread) continue;
    const uint64_t length = stretch.end - stretch.begin;
    if (own > before && own <= before + length) return stretch.begin + (own - before);
    before += length;
  }
  return kNever;
}

}  // namespace esox
