// SPDX-License-Identifier: Apache-2.0
#include "harness/findings/diagnosis/critical_switch.h"

#include <algorithm>
#include <functional>
#include <utility>

namespace esox {
namespace {

// Places that are looked at one by one where halving leads nowhere.
constexpr uint32_t kMostPlaces = 600;

// Neighbouring places, the first violating, the second accepted.
struct Flip {
  uint32_t place = 0;  // of the violating one
  Tried violating;
  Tried accepted;
};

// How many segments each side must have followed to the letter.
struct Needed {
  size_t violating = SIZE_MAX;
  size_t accepted = SIZE_MAX;
};

class Search {
 public:
  Search(const Tried& start, const Try& execute) : start_(start), execute_(execute) {}

  // First only what went as asked for to its end, then what did so up to the switch at least.
  std::optional<CriticalSwitch> run() {
    for (const bool whole : {true, false}) {
      for (const bool could_go_on : {true, false}) {
        std::optional<CriticalSwitch> found = last_of(could_go_on, whole);
        if (found) return found;
      }
    }
    return std::nullopt;
  }

 private:
  using Place = std::function<Schedule(uint32_t)>;

  std::optional<CriticalSwitch> last_of(bool could_go_on, bool whole) {
    for (size_t i = start_.schedule.size(); i-- > 0;) {
      if (i + 1 == start_.schedule.size() || replaced(i) != could_go_on) continue;
      for (const bool too_late : {true, false}) {
        std::optional<CriticalSwitch> found = at_switch(i, too_late, whole ? SIZE_MAX : i + 1);
        if (found) return found;
      }
    }
    return std::nullopt;
  }

  bool replaced(size_t segment) const {
    return segment < start_.could_go_on.size() && start_.could_go_on[segment];
  }

  uint32_t end_of(const Segment& segment) const {
    if (segment.until != kToTheEnd) return segment.until;
    return OwnPoints(start_.choices, start_.points).total(segment.thread);
  }

  std::optional<CriticalSwitch> at_switch(size_t segment, bool too_late, size_t followed) {
    const Schedule& schedule = start_.schedule;
    const uint32_t until = end_of(schedule[segment]);
    if (too_late && schedule[segment].until == kToTheEnd) return std::nullopt;
    const uint32_t limit = too_late ? latest_end(segment) : begin_of(schedule, segment);
    std::optional<Flip> flip =
        find_flip(start_, [&](uint32_t place) { return ending_at(schedule, segment, place); },
                  until, limit, {followed, followed});
    if (!flip) return std::nullopt;
    CriticalSwitch found;
    found.mover = schedule[segment].thread;
    found.operation = too_late ? flip->place : flip->place - 1;
    found.too_late = too_late;
    found.segment = segment;
    found.violating = std::move(flip->violating);
    found.accepted = std::move(flip->accepted);
    found.pair = pair_of(found);
    return found;
  }

  // Where the thread's next segment ends, which is where the switch at the end of this one is gone.
  uint32_t next_end(size_t segment) const {
    const Schedule& schedule = start_.schedule;
    for (size_t i = segment + 1; i < schedule.size(); ++i) {
      if (schedule[i].thread == schedule[segment].thread) return end_of(schedule[i]);
    }
    return schedule[segment].until;
  }

  // Where an execution did not finish, that is where the thread ends if it runs on.
  uint32_t latest_end(size_t segment) {
    const uint32_t next = next_end(segment);
    if (start_.finished) return next;
    const std::optional<Tried> run_on = execute_(ending_at(start_.schedule, segment, kToTheEnd));
    if (!run_on) return next;
    const ThreadId thread = start_.schedule[segment].thread;
    return std::max(next, OwnPoints(run_on->choices, run_on->points).total(thread));
  }

  std::optional<Tried> at(const Place& schedule, uint32_t place) {
    return execute_(schedule(place));
  }

  // `from` violates, as `first` has shown. Places lie between `from` and `to`, in either direction.
  std::optional<Flip> find_flip(const Tried& first, const Place& schedule, uint32_t from,
                                uint32_t to, const Needed& needed) {
    if (from == to) return std::nullopt;
    const std::optional<Tried> last = at(schedule, to);
    if (!last || last->side == Side::kSame) return std::nullopt;
    std::optional<Flip> flip = halve({from, first, *last}, schedule, to);
    if (!flip || decides(*flip, needed)) return flip;
    return look_at_all(first, schedule, from, to, needed);
  }

  // Where a thread had to wait before the place in question, it did not do what was asked for, and
  // that shows nothing. What happens behind it is the consequence.
  static bool decides(const Flip& flip, const Needed& needed) {
    return flip.accepted.side == Side::kAccepted && flip.accepted.followed >= needed.accepted &&
           flip.violating.followed >= needed.violating;
  }

  // Keeps a violating place and one that is not, until they are neighbours.
  std::optional<Flip> halve(Flip flip, const Place& schedule, uint32_t to) {
    while (std::max(flip.place, to) - std::min(flip.place, to) > 1) {
      const uint32_t middle = flip.place / 2 + to / 2 + (flip.place % 2 + to % 2) / 2;
      std::optional<Tried> tried = at(schedule, middle);
      if (!tried) return std::nullopt;
      if (tried->side == Side::kSame) {
        flip.place = middle;
        flip.violating = std::move(*tried);
      } else {
        to = middle;
        flip.accepted = std::move(*tried);
      }
    }
    return flip;
  }

  std::optional<Flip> look_at_all(const Tried& first, const Place& schedule, uint32_t from,
                                  uint32_t to, const Needed& needed) {
    if (std::max(from, to) - std::min(from, to) > kMostPlaces) return std::nullopt;
    const bool up = to > from;
    Tried before = first;
    for (uint32_t place = from; place != to;) {
      const uint32_t next = up ? place + 1 : place - 1;
      std::optional<Tried> tried = at(schedule, next);
      if (!tried) return std::nullopt;
      Flip flip{place, std::move(before), std::move(*tried)};
      if (flip.violating.side == Side::kSame && decides(flip, needed)) return flip;
      before = std::move(flip.accepted);
      place = next;
    }
    return std::nullopt;
  }

  // The mover's operation, carried out after the other thread's first `place` points.
  static Schedule interposed(const CriticalSwitch& found, uint32_t other_end, uint32_t place) {
    const Schedule& schedule = found.violating.schedule;
    const auto middle = schedule.begin() + static_cast<std::ptrdiff_t>(found.segment);
    Schedule changed(schedule.begin(), middle);
    const ThreadId other = (middle + 1)->thread;
    changed.push_back({found.mover, found.operation});
    changed.push_back({other, place});
    changed.push_back({found.mover, found.operation + 1});
    changed.push_back({other, other_end});
    changed.insert(changed.end(), middle + 2, schedule.end());
    return tidied(changed);
  }

  // Where the other's operation takes a lock that the mover's wants, the mover has to wait for its
  // release in the accepted execution: that is their order the other way round.
  std::optional<SwappedPair> pair_of(const CriticalSwitch& found) {
    const Schedule& schedule = found.violating.schedule;
    const size_t next = found.segment + 1;
    if (next >= schedule.size() || schedule[found.segment].thread != found.mover) {
      return std::nullopt;
    }
    const uint32_t begin = begin_of(schedule, next);
    const uint32_t end = schedule[next].until != kToTheEnd
                             ? schedule[next].until
                             : OwnPoints(found.violating.choices, found.violating.points)
                                   .total(schedule[next].thread);
    const Place place = [&](uint32_t at) { return interposed(found, schedule[next].until, at); };
    const uint32_t from = found.too_late ? end : begin;
    const uint32_t to = found.too_late ? begin : end;
    const std::optional<Tried> first = at(place, from);
    if (!first || first->side != Side::kSame) return std::nullopt;
    std::optional<Flip> flip =
        find_flip(*first, place, from, to, {found.segment + 3, found.segment + 1});
    if (!flip) return std::nullopt;
    const uint32_t operation = found.too_late ? flip->place - 1 : flip->place;
    return SwappedPair{schedule[next].thread, operation, std::move(flip->violating),
                       std::move(flip->accepted)};
  }

  const Tried& start_;
  const Try& execute_;
};

}  // namespace

std::optional<CriticalSwitch> critical_switch(const Tried& violating, const Try& execute) {
  return Search(violating, execute).run();
}

}  // namespace esox
