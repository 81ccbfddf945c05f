// SPDX-License-Identifier: Apache-2.0
#include "harness/search/variation.h"

#include <algorithm>
#include <cmath>

#include "preload/strategy/rng.h"

namespace esox {
namespace {

constexpr uint64_t kSalt = 0x766172696174696f;

// Of a violation against an outcome that was met as often and is none.
constexpr double kViolationWeight = 8;

// Another change is made with this chance after each one.
constexpr double kOneMore = 0.5;

double weight_of(const Exemplar& one) {
  const double rarity = 1 / std::sqrt(static_cast<double>(one.met));
  return one.violation ? kViolationWeight * rarity : rarity;
}

// From 1 to `most`, each order of magnitude as likely as the others: a switch that is nearly right
// wants a small step, one that is not a large one.
uint32_t some_points(Rng& rng, uint32_t most) {
  const double exponent = rng.unit() * std::log(static_cast<double>(most) + 1);
  return std::clamp(static_cast<uint32_t>(std::exp(exponent)), 1u, std::max(most, 1u));
}

class Variation {
 public:
  Variation(const Exemplar& from, Rng& rng)
      : schedule_(from.schedule), lengths_(from.lengths), rng_(rng) {}

  Schedule take() {
    do {
      change();
    } while (rng_.unit() < kOneMore);
    run_all();  // a thread that has lost all its segments, too
    return tidied(schedule_);
  }

 private:
  void run_all() {
    for (const auto& [thread, length] : lengths_) schedule_.push_back({thread, kToTheEnd});
  }

  uint32_t length_of(ThreadId thread) const {
    for (const auto& [known, length] : lengths_) {
      if (known == thread) return length;
    }
    return 0;
  }

  // Where a segment ends, in points that its thread has.
  uint32_t end_of(size_t index) const {
    const Segment& segment = schedule_[index];
    return std::min(segment.until, length_of(segment.thread));
  }

  size_t some_segment() { return rng_.below(schedule_.size()); }

  void change() {
    // The last segment may have been moved to its own beginning.
    if (schedule_.empty()) run_all();
    if (schedule_.empty()) return;  // nobody has a point
    const double draw = rng_.unit();
    if (draw < 0.5) {
      move();
    } else if (draw < 0.7) {
      drop();
    } else {
      insert();
    }
  }

  // The segment's thread is switched out earlier or later.
  void move() {
    const size_t index = some_segment();
    const uint32_t length = length_of(schedule_[index].thread);
    const uint32_t end = end_of(index);
    const uint32_t step = some_points(rng_, length);
    const bool later = rng_.below(2) == 0;
    const uint32_t until = later ? std::min(length, end + step) : (end > step ? end - step : 0);
    schedule_ = completed(ending_at(schedule_, index, until));
  }

  // What the segment did is done before, with its thread's segment before, or after.
  void drop() {
    if (schedule_.size() < 2) return insert();
    const size_t index = some_segment();
    const bool before = rng_.below(2) == 0;
    schedule_ = before ? completed(done_earlier(schedule_, index))
                       : completed(without(schedule_, index, index + 1));
  }

  // Somewhere in the segment another thread comes in between for a while.
  void insert() {
    const size_t index = some_segment();
    const Segment cut = schedule_[index];
    const uint32_t begin = begin_of(schedule_, index);
    const uint32_t end = end_of(index);
    if (lengths_.size() < 2 || end <= begin) return;
    const ThreadId other = other_than(cut.thread);
    const uint32_t length = length_of(other);
    uint32_t passed = 0;
    for (size_t i = 0; i < index; ++i) {
      if (schedule_[i].thread == other) passed = end_of(i);
    }
    const uint32_t at = begin + static_cast<uint32_t>(rng_.below(end - begin));
    const uint32_t until = std::min(length, passed + some_points(rng_, length));
    const std::vector<Segment> both = {{cut.thread, at}, {other, until}};
    const auto place = schedule_.begin() + static_cast<std::ptrdiff_t>(index);
    schedule_.insert(place, both.begin(), both.end());
    schedule_ = completed(schedule_);
  }

  // Long threads have more to interfere with.
  ThreadId other_than(ThreadId thread) {
    uint64_t sum = 0;
    for (const auto& [known, length] : lengths_) sum += known == thread ? 0 : length;
    uint64_t left = rng_.below(sum);
    for (const auto& [known, length] : lengths_) {
      if (known == thread) continue;
      if (left < length) return known;
      left -= length;
    }
    return lengths_.front().first;
  }

  Schedule schedule_;
  const std::vector<std::pair<ThreadId, uint32_t>>& lengths_;
  Rng& rng_;
};

Exemplar* find(std::vector<Exemplar>& exemplars, uint64_t outcome) {
  const auto found = std::ranges::find(exemplars, outcome, &Exemplar::outcome);
  return found == exemplars.end() ? nullptr : &*found;
}

// Room for one more: the one that is taken least goes.
void make_room(std::vector<Exemplar>& exemplars) {
  if (exemplars.size() < kMostExemplars) return;
  exemplars.erase(std::ranges::min_element(
      exemplars, [](const Exemplar& a, const Exemplar& b) { return weight_of(a) < weight_of(b); }));
}

}  // namespace

void note_exemplar(std::vector<Exemplar>& exemplars, uint64_t outcome, bool violation,
                   const ExecutionRecord& record, uint64_t points) {
  Exemplar* known = find(exemplars, outcome);
  if (known != nullptr) {
    ++known->met;
    known->violation = known->violation || violation;
  }
  Schedule schedule = schedule_of(record.choices);
  if (schedule.empty() || switch_count(schedule) > kMostExemplarSwitches) return;
  if (known != nullptr && switch_count(schedule) >= switch_count(known->schedule)) return;
  if (known == nullptr) {
    make_room(exemplars);
    known = &exemplars.emplace_back();
    known->outcome = outcome;
    known->met = 1;
    known->violation = violation;
  }
  known->lengths.clear();
  const OwnPoints own(record.choices, points);
  for (const Segment& segment : schedule) {
    const std::pair<ThreadId, uint32_t> length = {segment.thread, own.total(segment.thread)};
    const auto place = std::ranges::lower_bound(known->lengths, length);
    if (length.second == 0) continue;
    if (place == known->lengths.end() || *place != length) known->lengths.insert(place, length);
  }
  known->schedule = std::move(schedule);
  known->values = record.values;
}

std::vector<double> exemplar_shares(const std::vector<Exemplar>& exemplars) {
  std::vector<double> shares;
  double sum = 0;
  for (const Exemplar& one : exemplars) sum += shares.emplace_back(weight_of(one));
  for (double& share : shares) share /= sum;
  return shares;
}

Variant vary(const std::vector<Exemplar>& exemplars, uint64_t seed) {
  Rng rng(seed ^ kSalt);
  double left = rng.unit();
  const std::vector<double> shares = exemplar_shares(exemplars);
  size_t taken = 0;
  while (taken + 1 < shares.size() && left >= shares[taken]) left -= shares[taken++];
  const Exemplar& from = exemplars[taken];
  return {Variation(from, rng).take(), from.values};
}

}  // namespace esox
