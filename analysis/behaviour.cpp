// SPDX-License-Identifier: Apache-2.0
#include "analysis/behaviour.h"

#include <fmt/format.h>
#include <xxhash.h>

#include <algorithm>
#include <array>
#include <set>
#include <span>
#include <string>
#include <utility>

#include "analysis/executed_order.h"
#include "analysis/object_use.h"
#include "analysis/stable_sites.h"

namespace esox {
namespace {

struct Visit {
  uint64_t object;
  uint32_t event;    // index into the trace
  uint32_t place;    // in the executed order
  uint16_t request;  // of its thread, from 0
};

uint64_t mixed(uint64_t a, uint64_t b) {
  const std::array<uint64_t, 2> both = {a, b};
  return XXH3_64bits(both.data(), sizeof both);
}

// The uses of one object, in their order as far as it matters.
class UseSequence {
 public:
  void add(uint64_t use, bool changes) {
    if (!changes) {
      reads_ += mixed(use, 0);  // in any order
      return;
    }
    hash_ = mixed(mixed(hash_, reads_), use);
    reads_ = 0;
  }
  uint64_t hash() const { return mixed(hash_, reads_); }

 private:
  uint64_t hash_ = 0;
  uint64_t reads_ = 0;
};

class Traces {
 public:
  Traces(const ExecutionRecord& record, size_t clients)
      : record_(record), clients_(clients), sites_(record.modules) {}

  void describe(Behaviour& behaviour) {
    const std::vector<Visit> visits = visits_of_all();
    for (size_t first = 0; first < visits.size();) {
      size_t end = first + 1;
      while (end < visits.size() && visits[end].object == visits[first].object) ++end;
      behaviour.trace_class += hash_of({visits.data() + first, end - first});
      first = end;
    }
    std::ranges::sort(meetings_);
    meetings_.erase(std::unique(meetings_.begin(), meetings_.end()), meetings_.end());
    behaviour.meetings = std::move(meetings_);
  }

 private:
  const TraceEvent& event(const Visit& visit) const { return record_.trace[visit.event]; }

  // Releases follow their acquisitions; where a wait has ended, its beginning says it all.
  bool tells(const TraceEvent& event) const {
    const bool ended = event.kind >= OpKind::kCondWait && event.kind <= OpKind::kFutexWait &&
                       (event.flags & kTraceBlocked) != 0;
    return event.thread < clients_ && event.object != 0 && !ended && !is_release(event.kind) &&
           use_of(event.kind) != Use::kNone;
  }

  std::vector<Visit> visits_of_all() const {
    std::vector<Visit> visits;
    const std::vector<uint32_t> order = executed_order(record_);
    visits.reserve(order.size());
    std::vector<uint16_t> begun(clients_, 0);  // requests of each
    for (const uint32_t index : order) {
      const TraceEvent& one = record_.trace[index];
      if (one.kind == OpKind::kRequestBegin && one.thread < clients_) ++begun[one.thread];
      if (!tells(one)) continue;
      const uint16_t so_far = begun[one.thread];
      visits.push_back({one.object, index, static_cast<uint32_t>(visits.size()),
                        static_cast<uint16_t>(so_far == 0 ? 0 : so_far - 1)});
    }
    std::ranges::sort(visits, [](const Visit& a, const Visit& b) {
      return std::pair(a.object, a.place) < std::pair(b.object, b.place);
    });
    return visits;
  }

  // 0 of an object whose uses no order can matter to.
  uint64_t hash_of(std::span<const Visit> visits) {
    bool shared = false;
    bool changed = false;
    for (const Visit& one : visits) {
      shared = shared || event(one).thread != event(visits.front()).thread;
      changed = changed || changes(one);
    }
    if (!shared || !changed) return 0;
    UseSequence sequence;
    const Visit* last = nullptr;
    for (const Visit& one : visits) {
      sequence.add(mixed(event(one).thread, sites_.hash(event(one).site)), changes(one));
      if (last != nullptr) meet(*last, one);
      last = &one;
    }
    return sequence.hash();
  }

  bool changes(const Visit& visit) const { return use_of(event(visit).kind) == Use::kChanges; }

  void meet(const Visit& earlier, const Visit& later) {
    const TraceEvent& a = event(earlier);
    const TraceEvent& b = event(later);
    if (a.thread == b.thread || (!changes(earlier) && !changes(later))) return;
    const uint64_t site = sites_.hash(a.site);
    const uint64_t other = sites_.hash(b.site);
    const uint64_t first = mixed(a.thread, site);
    const uint64_t second = mixed(b.thread, other);
    const Visit& smaller = a.thread < b.thread ? earlier : later;
    const Visit& greater = a.thread < b.thread ? later : earlier;
    meetings_.push_back(
        {mixed(std::min(first, second), std::max(first, second)),
         first < second,
         (contact_of(site, other) & ~1u) | (site < other ? 1u : 0u),
         {event(smaller).thread, smaller.request, event(greater).thread, greater.request}});
  }

  const ExecutionRecord& record_;
  const size_t clients_;
  StableSites sites_;
  std::vector<Meeting> meetings_;
};

uint64_t hash_of(const std::string& text) {
  return XXH3_64bits(text.data(), text.size());
}

std::string text_of(const Row& row) {
  FieldEncoder fields;
  for (const Cell& cell : row) fields.append(cell ? "=" + *cell : "");
  return fields.bytes();
}

uint64_t hash_of(const Output& output) {
  uint64_t hash =
      hash_of(fmt::format("{} {} {} {} {} {}", output.answered, output.error, output.affected_rows,
                          output.insert_id, output.warning_count, output.info));
  for (const ResultSet& result : output.results) {
    UseSequence rows;
    for (const Row& row : result.rows) rows.add(hash_of(text_of(row)), output.ordered);
    hash = mixed(hash, rows.hash());
  }
  return hash;
}

uint64_t hash_of(const ExecutionRecord& record, const Masks& masks) {
  std::set<std::pair<size_t, size_t>> hidden_replies;
  std::set<std::string> hidden_parts;
  for (const auto& [place, orders] : masks.outputs) {
    hidden_replies.insert({place.client, place.request});
  }
  for (const auto& [place, orders] : masks.state) hidden_parts.insert(place.component);
  uint64_t hash = static_cast<uint64_t>(record.ending.kind);
  const auto& outputs = record.outcome.outputs;
  for (size_t c = 0; c < outputs.size(); ++c) {
    for (size_t r = 0; r < outputs[c].size(); ++r) {
      if (!hidden_replies.contains({c, r})) hash = mixed(hash, hash_of(outputs[c][r]));
    }
  }
  for (const Component& one : record.outcome.state.components) {
    if (hidden_parts.contains(one.name)) continue;
    hash = mixed(hash, mixed(hash_of(one.name), one.digest.low));
  }
  return hash;
}

}  // namespace

Behaviour behaviour_of(const ExecutionRecord& record, size_t clients, const Masks& masks) {
  Behaviour behaviour;
  Traces(record, clients).describe(behaviour);
  behaviour.outcome = hash_of(record, masks);
  return behaviour;
}

}  // namespace esox
