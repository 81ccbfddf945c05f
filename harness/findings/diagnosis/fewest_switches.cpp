// SPDX-License-Identifier: Apache-2.0
#include "harness/findings/diagnosis/fewest_switches.h"

#include <algorithm>
#include <cstdlib>

namespace esox {
namespace {

class Reduction {
 public:
  Reduction(const Tried& start, const Try& execute) : best_(start), execute_(execute) {}

  Tried run() {
    do {
      while (take_away() || do_earlier()) {
      }
    } while (tighten() && (take_away() || do_earlier()));
    move_to_boundaries();
    return std::move(best_);
  }

 private:
  bool shorter(const Schedule& candidate) {
    if (candidate.empty() || spent_) return false;
    return adopt(candidate, best_.schedule.size() - 1);
  }

  bool adopt(const Schedule& candidate, size_t most_segments) {
    std::optional<Tried> tried = execute_(candidate);
    spent_ = !tried.has_value();
    if (spent_ || tried->side != Side::kSame || tried->schedule.size() > most_segments) {
      return false;
    }
    best_ = std::move(*tried);
    return true;
  }

  bool take_away() {
    bool any = false;
    for (size_t run = std::max<size_t>(best_.schedule.size() / 2, 1); run > 0; run /= 2) {
      for (size_t first = 0; first < best_.schedule.size() && !spent_;) {
        if (shorter(without(best_.schedule, first, first + run))) {
          any = true;
        } else {
          first += run;
        }
      }
    }
    return any;
  }

  bool do_earlier() {
    for (size_t i = best_.schedule.size(); i-- > 1 && !spent_;) {
      if (begin_of(best_.schedule, i) == 0) continue;
      if (shorter(done_earlier(best_.schedule, i))) return true;
    }
    return false;
  }

  // Each segment ends as early as the violation allows. A thread that had to wait for another one
  // was given more than it needs; once that other one's segment is gone, it would run too far.
  bool tighten() {
    bool any = false;
    for (size_t i = 0; i + 1 < best_.schedule.size() && !spent_; ++i) {
      if (best_.schedule[i].until == kToTheEnd) continue;
      uint32_t too_early = begin_of(best_.schedule, i);
      while (tightenable(i, too_early)) {
        const uint32_t middle = too_early + (best_.schedule[i].until - too_early) / 2;
        const bool earlier = adopt(ending_at(best_.schedule, i, middle), best_.schedule.size());
        any = any || earlier;
        if (!earlier || best_.schedule[i].until > middle) too_early = middle;
      }
    }
    return any;
  }

  bool tightenable(size_t index, uint32_t too_early) const {
    if (index + 1 >= best_.schedule.size() || spent_) return false;
    const uint32_t until = best_.schedule[index].until;
    return until != kToTheEnd && until > too_early && until - too_early > 1;
  }

  void move_to_boundaries() {
    for (size_t i = 0; i + 1 < best_.schedule.size() && !spent_; ++i) {
      if (best_.schedule[i].until == kToTheEnd) continue;
      for (const uint32_t boundary : boundaries_within(i)) {
        const size_t segments = best_.schedule.size();
        if (spent_ || adopt(ending_at(best_.schedule, i, boundary), segments)) break;
      }
    }
  }

  // Of the thread of segment `index`, between that one's beginning and its next one's end; the
  // nearest first. None if it ends at one already.
  std::vector<uint32_t> boundaries_within(size_t index) const {
    const Segment& segment = best_.schedule[index];
    const uint32_t begin = begin_of(best_.schedule, index);
    uint32_t end = segment.until;
    for (size_t i = best_.schedule.size(); i-- > index + 1;) {
      if (best_.schedule[i].thread == segment.thread) end = best_.schedule[i].until;
    }
    std::vector<uint32_t> found;
    for (const Segment& boundary : best_.request_boundaries) {
      if (boundary.thread != segment.thread) continue;
      if (boundary.until == segment.until) return {};
      if (boundary.until > begin && boundary.until < end) found.push_back(boundary.until);
    }
    const auto distance = [&](uint32_t at) { return std::llabs(int64_t{at} - segment.until); };
    std::ranges::stable_sort(found,
                             [&](uint32_t a, uint32_t b) { return distance(a) < distance(b); });
    return found;
  }

  Tried best_;
  const Try& execute_;
  bool spent_ = false;
};

}  // namespace

Tried fewest_switches(const Tried& start, const Try& execute) {
  return Reduction(start, execute).run();
}

}  // namespace esox
