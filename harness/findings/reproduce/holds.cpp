// SPDX-License-Identifier: Apache-2.0
#include "harness/findings/reproduce/holds.h"

#include <algorithm>
#include <map>

#include "analysis/schedule.h"
#include "base/text/number.h"

namespace esox {
namespace {

// Where a thread stands at a point of the execution.
struct Stand {
  const TraceEvent* event = nullptr;
  size_t requests = 0;  // that have begun
  unsigned hit = 0;     // the event's call, since the request began
};

Stand stand_at(const std::vector<TraceEvent>& trace, ThreadId thread, uint64_t point) {
  Stand stand;
  size_t requests = 0;
  std::map<uint64_t, unsigned> hits;  // by site
  for (const TraceEvent& event : trace) {
    if (event.thread != thread) continue;
    if (event.point > point) break;
    if (event.kind == OpKind::kRequestBegin) {
      ++requests;
      hits.clear();
    }
    const unsigned hit = ++hits[event.site];
    if (event.point == point) stand = {&event, requests, hit};
  }
  return stand;
}

bool has_answers(const ExecutionRecord& record, ThreadId thread) {
  if (record.ending.kind == EndingKind::kFinished) return true;
  if (thread >= record.stamps.size()) return false;
  const auto& stamps = record.stamps[thread];
  return std::none_of(stamps.begin(), stamps.end(),
                      [](const Stamp& stamp) { return stamp.response == kNever; });
}

HeldSegment end_of(ThreadId client, size_t request) {
  return {.client = client, .request = request};
}

// Of a thread that stands within a request, or is the server's own.
HeldSegment held(const Stand& stand, const Symbols& symbols) {
  const TraceEvent& event = *stand.event;
  HeldSegment segment{.client = event.thread,
                      .request = std::max<size_t>(stand.requests, 1) - 1,
                      .until = HeldSegment::Until::kBlocked,
                      .hit = stand.hit,
                      .point = event.point,
                      .site = event.site};
  if ((event.flags & (kTraceSwitchedAway | kTraceDemoted)) != 0) {
    segment.until = HeldSegment::Until::kPlace;
    segment.place =
        place_in_module(symbols.module_offset(event.site),
                        is_release(event.kind) ? HoldPlace::At::kReturn : HoldPlace::At::kCall);
  }
  return segment;
}

// Its thread, by the segments so far.
bool is_held(const Holds& holds, const HeldSegment& now) {
  const auto last = std::find_if(holds.rbegin(), holds.rend(),
                                 [&](const HeldSegment& one) { return one.client == now.client; });
  return last != holds.rend() && last->place;
}

class Segments {
 public:
  Segments(const ExecutionRecord& record, uint64_t points, const Symbols& symbols)
      : record_(record), symbols_(symbols), own_(record.choices, points) {}

  bool is_own(ThreadId thread) const { return thread >= record_.stamps.size(); }

  std::optional<HeldSegment> of(const Segment& segment) const {
    if (is_own(segment.thread)) return of_own(segment);
    const uint32_t total = own_.total(segment.thread);
    const Stand stand = stand_at(record_.trace, segment.thread,
                                 own_.point_of(segment.thread, std::min(segment.until, total)));
    const bool last = segment.until >= total && !is_left(stand);
    if (last && (has_answers(record_, segment.thread) || is_crash())) {
      return end_of(segment.thread, requests_of(segment.thread) - 1);
    }
    if (stand.event == nullptr || stand.requests == 0) return {};
    if (stand.event->kind == OpKind::kRequestBegin) {
      if (stand.requests == 1) return {};
      return end_of(segment.thread, stand.requests - 2);
    }
    if (stand.event->kind == OpKind::kRequestEnd) return end_of(segment.thread, stand.requests - 1);
    HeldSegment found = held(stand, symbols_);
    if (last) {  // and no further
      found.until = HeldSegment::Until::kBlocked;
      found.place.reset();
    }
    return found;
  }

 private:
  // It has no requests: its hits count from the beginning.
  std::optional<HeldSegment> of_own(const Segment& segment) const {
    const uint32_t total = own_.total(segment.thread);
    HeldSegment until_idle{.client = segment.thread, .until = HeldSegment::Until::kBlocked};
    if (segment.until >= total) return until_idle;
    const Stand stand =
        stand_at(record_.trace, segment.thread, own_.point_of(segment.thread, segment.until));
    if (stand.event == nullptr) return {};
    HeldSegment found = held(stand, symbols_);
    return found.place ? found : until_idle;
  }

  // Replaced though it could have gone on, when a crash or a standstill came before its turn.
  bool is_left(const Stand& stand) const {
    return record_.ending.kind != EndingKind::kFinished && stand.event != nullptr &&
           (stand.event->flags & kTraceSwitchedAway) != 0;
  }

  bool is_crash() const { return record_.ending.kind == EndingKind::kCrash; }

  size_t requests_of(ThreadId thread) const {
    return thread < record_.stamps.size() ? std::max<size_t>(1, record_.stamps[thread].size()) : 1;
  }

  const ExecutionRecord& record_;
  const Symbols& symbols_;
  OwnPoints own_;
};

}  // namespace

std::optional<HoldPlace> place_in_module(const std::string& module_offset, HoldPlace::At at) {
  const size_t plus = module_offset.rfind("+0x");
  if (plus == std::string::npos || plus == 0) return {};
  const auto offset = number_of<uint64_t>(std::string_view(module_offset).substr(plus + 3), 16);
  if (!offset) return {};
  return HoldPlace{.at = at, .module = module_offset.substr(0, plus), .offset = *offset};
}

Holds holds_of(const ExecutionRecord& record, uint64_t points, const Symbols& symbols) {
  const Schedule schedule =
      schedule_of(record.choices, record.ending.kind == EndingKind::kFinished);
  const Segments segments(record, points, symbols);
  Holds holds;
  for (const Segment& segment : schedule) {
    std::optional<HeldSegment> found = segments.of(segment);
    if (!found || (segments.is_own(segment.thread) && !found->place && !is_held(holds, *found))) {
      continue;
    }
    holds.push_back(std::move(*found));
  }
  return holds;
}

Holds held_after_waits(const Holds& holds, const Symbols& symbols) {
  Holds with = holds;
  for (auto one = with.begin(); one != with.end(); ++one) {
    const bool goes_on = std::any_of(
        one + 1, with.end(), [&](const HeldSegment& later) { return later.client == one->client; });
    if (one->until != HeldSegment::Until::kBlocked || !goes_on || one->site == 0) continue;
    one->place = place_in_module(symbols.module_offset(one->site), HoldPlace::At::kReturn);
  }
  return with;
}

}  // namespace esox
