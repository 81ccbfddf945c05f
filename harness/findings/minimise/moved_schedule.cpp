// SPDX-License-Identifier: Apache-2.0
#include "harness/findings/minimise/moved_schedule.h"

#include <algorithm>

namespace esox {
namespace {

class Move {
 public:
  Move(const RequestSpans& spans, const Origins& origins, const RequestSpans& there, Anchor anchor)
      : spans_(spans), origins_(origins), there_(there), anchor_(anchor) {}

  Schedule run(const Schedule& schedule) const {
    Schedule moved;
    for (const Segment& segment : schedule) {
      const auto client = client_there(segment.thread);
      if (!client) continue;
      moved.push_back({*client, until_there(*client, segment)});
    }
    return tidied(moved);
  }

 private:
  std::optional<ThreadId> client_there(ThreadId thread) const {
    for (size_t i = 0; i < origins_.size(); ++i) {
      if (!origins_[i].empty() && origins_[i].front().client == thread) {
        return static_cast<ThreadId>(i);
      }
    }
    return std::nullopt;
  }

  // The request in which the segment ends: the last one that has begun by then.
  size_t request_of(const Segment& segment) const {
    const auto& spans = spans_[segment.thread];
    size_t request = 0;
    while (request + 1 < spans.size() && spans[request + 1].begin <= segment.until) ++request;
    return request;
  }

  uint32_t until_there(ThreadId client, const Segment& segment) const {
    if (segment.until == kToTheEnd || segment.thread >= spans_.size()) return kToTheEnd;
    const size_t request = request_of(segment);
    const auto& origins = origins_[client];
    const auto found = std::ranges::find_if(
        origins, [&](const RequestId& origin) { return origin.request >= request; });
    const auto index = static_cast<size_t>(found - origins.begin());
    if (index >= there_[client].size()) return kToTheEnd;
    const RequestSpan& there = there_[client][index];
    if (found->request != request) return there.begin;
    const RequestSpan& here = spans_[segment.thread][request];
    if (anchor_ == Anchor::kBeginning || segment.until >= here.end) {
      return shifted(segment.until, here.begin, there.begin);
    }
    return std::max(there.begin, shifted(segment.until, here.end, there.end));
  }

  static uint32_t shifted(uint32_t at, uint32_t from, uint32_t to) {
    const int64_t moved = int64_t{at} - from + to;
    return static_cast<uint32_t>(std::clamp<int64_t>(moved, 0, kToTheEnd - 1));
  }

  const RequestSpans& spans_;
  const Origins& origins_;
  const RequestSpans& there_;
  const Anchor anchor_;
};

}  // namespace

RequestSpans request_spans(const ExecutionRecord& record, uint64_t points) {
  const OwnPoints own(record.choices, points);
  RequestSpans spans(record.stamps.size());
  for (size_t client = 0; client < spans.size(); ++client) {
    const auto thread = static_cast<ThreadId>(client);
    const uint32_t total = own.total(thread);
    for (const Stamp& stamp : record.stamps[client]) {
      const uint32_t begin = own.passed(thread, stamp.invocation);
      const uint32_t end = stamp.response == kNever ? total : own.passed(thread, stamp.response);
      spans[client].push_back({begin, std::max(begin, end)});
    }
  }
  return spans;
}

RequestSpans spans_left(const RequestSpans& spans, const Origins& origins) {
  RequestSpans left;
  for (const auto& client : origins) {
    left.emplace_back();
    uint32_t begin = 0;
    for (const RequestId& origin : client) {
      const auto& all = spans[origin.client];
      if (origin.request >= all.size()) continue;
      const RequestSpan& span = all[origin.request];
      const uint32_t next =
          origin.request + 1 < all.size() ? all[origin.request + 1].begin : span.end;
      left.back().push_back({begin, begin + (span.end - span.begin)});
      begin += std::max(next, span.end) - span.begin;
    }
  }
  return left;
}

Schedule moved_schedule(const Schedule& schedule, const RequestSpans& spans, const Origins& origins,
                        const RequestSpans& spans_there, Anchor anchor) {
  return Move(spans, origins, spans_there, anchor).run(schedule);
}

}  // namespace esox
