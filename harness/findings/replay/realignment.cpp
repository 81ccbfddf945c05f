// SPDX-License-Identifier: Apache-2.0
#include "harness/findings/replay/realignment.h"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <set>
#include <utility>

#include "preload/strategy/rng.h"

namespace esox {
namespace {

// Of the same operation, so many occurrences on either side are tried before mere distance counts.
constexpr size_t kOccurrences = 2;
// How far a switch is moved at most, in operations of its thread.
constexpr int64_t kFarthest = 60;

class Search {
 public:
  Search(const Schedule& recorded, const Operations& operations, size_t variants, uint64_t seed,
         const ExecuteSchedule& execute)
      : recorded_(recorded),
        operations_(operations),
        variants_(variants),
        rng_(seed),
        execute_(execute) {}

  Realigned run() {
    realigned_.followed.switches = switch_count(recorded_);
    for (const Segment& segment : recorded_) {
      if (!place(segment)) return std::move(realigned_);
    }
    // The last segment ends in no switch.
    if (!recorded_.empty()) --realigned_.followed.to_the_letter;
    realigned_.whole = true;
    std::optional<Executed> executed = execute_(tidied(aligned_));
    if (!executed) return std::move(realigned_);
    realigned_.aligned = executed;
    if (executed->same) {
      realigned_.found = std::move(executed);
    } else {
      look_around();
    }
    if (!realigned_.found) realigned_.found = std::move(early_);
    return std::move(realigned_);
  }

 private:
  // Points of one thread that belong together in both programs.
  struct Anchor {
    uint32_t recorded = 0;
    uint32_t now = 0;
  };

  // Appends the segment, ending where its operation is now. False: a limit is reached.
  bool place(const Segment& segment) {
    if (segment.until == kToTheEnd) {
      ++realigned_.followed.to_the_letter;
      aligned_.push_back(segment);
      alternatives_.emplace_back();
      return true;
    }
    Schedule probe = aligned_;
    probe.push_back({segment.thread, kToTheEnd});
    std::optional<Executed> executed = execute_(tidied(probe));
    if (!executed) return false;
    const uint32_t until = find(segment, executed->operations);
    aligned_.push_back({segment.thread, until});
    alternatives_.push_back(alternatives(segment, until, executed->operations));
    if (executed->same && !early_) early_ = std::move(executed);
    return true;
  }

  std::span<const uint32_t> of(const Operations& all, ThreadId thread) const {
    return thread < all.of.size() ? std::span<const uint32_t>(all.of[thread])
                                  : std::span<const uint32_t>();
  }

  uint32_t find(const Segment& segment, const Operations& now) {
    Anchor& anchor = anchors_[segment.thread];
    Followed& followed = realigned_.followed;
    const uint32_t before = std::exchange(anchor.recorded, segment.until);
    const auto recorded = of(operations_, segment.thread);
    if (segment.until > recorded.size() || before > segment.until) {
      anchor.now += segment.until - std::min(before, segment.until);
      ++followed.lost;  // only its number is known
      return anchor.now;
    }
    const auto here = of(now, segment.thread);
    const Alignment alignment = align(recorded.subspan(before, segment.until - before),
                                      here.subspan(std::min<size_t>(anchor.now, here.size())),
                                      LikenessTable(operations_, now));
    anchor.now += static_cast<uint32_t>(alignment.length);
    followed.added += alignment.added;
    followed.missing += alignment.missing;
    followed.places += alignment.places;
    if (!alignment.found) {
      ++followed.lost;
      return ++anchor.now;  // before what stands there now
    }
    ++(anchor.now == segment.until ? followed.to_the_letter : followed.moved);
    return anchor.now;
  }

  // Other ends of the segment, the likeliest first.
  std::vector<uint32_t> alternatives(const Segment& segment, uint32_t until,
                                     const Operations& now) const {
    std::vector<uint32_t> ends = occurrences(segment, until, now);
    for (int64_t distance = 1; distance <= kFarthest; ++distance) {
      for (const int64_t end : {until + distance, until - distance}) {
        if (end > 0) ends.push_back(static_cast<uint32_t>(end));
      }
    }
    std::set<uint32_t> seen;
    std::erase_if(ends, [&](uint32_t end) { return end == until || !seen.insert(end).second; });
    return ends;
  }

  std::vector<uint32_t> occurrences(const Segment& segment, uint32_t until,
                                    const Operations& now) const {
    const auto recorded = of(operations_, segment.thread);
    if (segment.until == 0 || segment.until > recorded.size()) return {};
    const OperationName& wanted = operations_.names[recorded[segment.until - 1]];
    const auto here = of(now, segment.thread);
    std::vector<uint32_t> ends;
    for (uint32_t end = 1; end <= here.size(); ++end) {
      if (likeness(wanted, now.names[here[end - 1]]) >= Likeness::kFunction) ends.push_back(end);
    }
    std::ranges::stable_sort(ends, [&](uint32_t a, uint32_t b) {
      return std::abs(int64_t{a} - until) < std::abs(int64_t{b} - until);
    });
    if (ends.size() > 2 * kOccurrences) ends.resize(2 * kOccurrences);
    return ends;
  }

  void look_around() {
    one_by_one();
    while (!over() && can_vary()) {
      Schedule variant = aligned_;
      for (int i = 0; i < 2; ++i) vary_any(variant);
      attempt(variant);
    }
  }

  // The first alternative of each switch, then the second of each, ...
  void one_by_one() {
    for (size_t rank = 0; rank < 2 * (kFarthest + kOccurrences); ++rank) {
      for (size_t i = 0; i < aligned_.size(); ++i) {
        if (over()) return;
        if (rank >= alternatives_[i].size()) continue;
        Schedule variant = aligned_;
        variant[i].until = alternatives_[i][rank];
        attempt(variant);
      }
    }
  }

  bool can_vary() const {
    return std::ranges::any_of(alternatives_, [](const auto& ends) { return !ends.empty(); });
  }

  // Near ones more often: the smaller of two draws.
  void vary_any(Schedule& variant) {
    size_t index = rng_.below(variant.size());
    while (alternatives_[index].empty()) index = (index + 1) % variant.size();
    const std::vector<uint32_t>& ends = alternatives_[index];
    const uint64_t rank = std::min(rng_.below(ends.size()), rng_.below(ends.size()));
    variant[index].until = ends[rank];
  }

  bool over() const { return stopped_ || realigned_.found || realigned_.variants >= variants_; }

  void attempt(const Schedule& variant) {
    ++realigned_.variants;
    std::optional<Executed> executed = execute_(tidied(variant));
    stopped_ = !executed;
    if (!executed || !executed->same) return;
    realigned_.varied = realigned_.variants;
    realigned_.found = std::move(executed);
  }

  const Schedule& recorded_;
  const Operations& operations_;
  const size_t variants_;
  Rng rng_;
  const ExecuteSchedule& execute_;
  Schedule aligned_;
  std::vector<std::vector<uint32_t>> alternatives_;  // by segment
  std::map<ThreadId, Anchor> anchors_;
  std::optional<Executed> early_;  // a beginning of the schedule sufficed
  bool stopped_ = false;
  Realigned realigned_;
};

}  // namespace

Realigned realign(const Schedule& recorded, const Operations& operations, size_t variants,
                  uint64_t seed, const ExecuteSchedule& execute) {
  return Search(recorded, operations, variants, seed, execute).run();
}

}  // namespace esox
