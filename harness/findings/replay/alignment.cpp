// SPDX-License-Identifier: Apache-2.0
#include "harness/findings/replay/alignment.h"

#include <algorithm>
#include <climits>

namespace esox {
namespace {

// What a pair is worth. Two operations without a partner cost 2, so that a pair of one kind but of
// other functions is preferred to them, yet never to a better one nearby.
constexpr int kWorth[] = {-1'000'000, 0, 3, 4};
constexpr int kAlone = -1;

// The matrix of one window has so many cells at most, a byte each: 16 MiB.
constexpr size_t kWindow = 4096;

enum Pairing : uint8_t { kPair, kMissing, kAdded };

class Window {
 public:
  Window(std::span<const uint32_t> recorded, std::span<const uint32_t> now,
         const LikenessTable& table, bool last)
      : recorded_(recorded), now_(now), table_(table), last_(last), width_(now.size() + 1) {
    steps_.resize((recorded.size() + 1) * width_);
    fill();
  }

  // From the beginning on. The last row's best cell is its end; where more follows, the last column
  // may hold a better one.
  std::vector<Pairing> path() const {
    std::vector<Pairing> path;
    size_t i = end_row_;
    size_t j = end_;
    while (i > 0 || j > 0) {
      const Pairing step = steps_[i * width_ + j];
      path.push_back(step);
      i -= step != kAdded ? 1 : 0;
      j -= step != kMissing ? 1 : 0;
    }
    std::ranges::reverse(path);
    return path;
  }

 private:
  void fill() {
    std::vector<int> above(width_);
    for (size_t j = 1; j < width_; ++j) {
      above[j] = above[j - 1] + kAlone;
      steps_[j] = kAdded;
    }
    std::vector<int> row(width_);
    int best = INT_MIN;
    for (size_t i = 1; i <= recorded_.size(); ++i) {
      row[0] = above[0] + kAlone;
      steps_[i * width_] = kMissing;
      for (size_t j = 1; j < width_; ++j) row[j] = cell(i, j, above, row);
      row.swap(above);
      if (last_ || above.back() <= best) continue;
      best = above.back();
      end_row_ = i;
      end_ = width_ - 1;
    }
    const auto highest = std::ranges::max_element(above);
    if (*highest < best) return;
    end_row_ = recorded_.size();
    end_ = static_cast<size_t>(highest - above.begin());
  }

  int cell(size_t i, size_t j, const std::vector<int>& above, const std::vector<int>& row) {
    const auto like = static_cast<size_t>(table_.of(recorded_[i - 1], now_[j - 1]));
    const int pair = above[j - 1] + kWorth[like];
    const int missing = above[j] + kAlone;
    const int added = row[j - 1] + kAlone;
    const int best = std::max({pair, missing, added});
    steps_[i * width_ + j] = best == pair ? kPair : (best == added ? kAdded : kMissing);
    return best;
  }

  std::span<const uint32_t> recorded_;
  std::span<const uint32_t> now_;
  const LikenessTable& table_;
  bool last_;
  size_t width_;
  std::vector<Pairing> steps_;
  size_t end_row_ = 0;
  size_t end_ = 0;
};

void count(const std::vector<Pairing>& path, Alignment& alignment) {
  Pairing before = kPair;
  for (const Pairing step : path) {
    alignment.length += step != kMissing ? 1 : 0;
    alignment.added += step == kAdded ? 1 : 0;
    alignment.missing += step == kMissing ? 1 : 0;
    alignment.places += step != kPair && before == kPair ? 1 : 0;
    before = step;
  }
}

}  // namespace

Likeness likeness(const OperationName& a, const OperationName& b) {
  if (a.kind != b.kind || a.object != b.object) return Likeness::kNone;
  if (a.site == b.site) return Likeness::kSite;
  return a.function == b.function ? Likeness::kFunction : Likeness::kKind;
}

LikenessTable::LikenessTable(const Operations& recorded, const Operations& now)
    : columns_(now.names.size()) {
  table_.reserve(recorded.names.size() * columns_);
  for (const OperationName& a : recorded.names) {
    for (const OperationName& b : now.names) table_.push_back(likeness(a, b));
  }
}

Alignment align(std::span<const uint32_t> recorded, std::span<const uint32_t> now,
                const LikenessTable& table) {
  Alignment alignment;
  for (;;) {
    // What is the same needs no search; it is most of it.
    while (recorded.size() > 1 && !now.empty() &&
           table.of(recorded[0], now[0]) == Likeness::kSite) {
      recorded = recorded.subspan(1);
      now = now.subspan(1);
      ++alignment.length;
    }
    const bool last = recorded.size() <= kWindow;
    const Window window(recorded.first(std::min(recorded.size(), kWindow)),
                        now.first(std::min(now.size(), kWindow)), table, last);
    std::vector<Pairing> path = window.path();
    if (last) {
      const size_t before = alignment.length;
      count(path, alignment);
      if (path.empty() || path.back() != kPair) return alignment;
      const uint32_t partner = now[alignment.length - before - 1];
      alignment.found = table.of(recorded.back(), partner) >= Likeness::kFunction;
      if (!alignment.found) --alignment.length;  // something else stands at its place
      return alignment;
    }
    // Of a window its first half is believed; the rest is looked at once more, with what follows.
    size_t taken = 0;
    size_t steps = 0;
    while (steps < path.size() && taken < kWindow / 2) taken += path[steps++] != kAdded ? 1 : 0;
    path.resize(steps);
    const size_t before = alignment.length;
    count(path, alignment);
    recorded = recorded.subspan(taken);
    now = now.subspan(alignment.length - before);
  }
}

}  // namespace esox
