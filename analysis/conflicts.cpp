// SPDX-License-Identifier: Apache-2.0
#include "analysis/conflicts.h"

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_set>

#include "analysis/executed_order.h"
#include "analysis/happens_before.h"
#include "analysis/object_use.h"
#include "preload/protocol/conflict_filter.h"

namespace esox {
namespace {

// One use of an object.
struct OrderedUse {
  uint64_t object;
  Epoch epoch;
  Use use;
  uint32_t event;  // index into the trace
};

// Uses that are ordered alike.
struct Bundle {
  Epoch epoch;
  Use use;
  bool conflicts = false;
};

bool same(const Bundle& bundle, const OrderedUse& visit) {
  return bundle.epoch.thread == visit.epoch.thread && bundle.epoch.own == visit.epoch.own &&
         bundle.epoch.clock == visit.epoch.clock && bundle.use == visit.use;
}

bool changes_names(OpKind kind) {
  return kind == OpKind::kFileOpen || kind == OpKind::kFileRename || kind == OpKind::kFileRemove ||
         kind == OpKind::kDirectoryMake;
}

// Folders that were listed: who makes, renames or removes a file in one changes it.
class ListedFolders {
 public:
  explicit ListedFolders(const ExecutionRecord& record) : record_(record) {
    for (const TraceEvent& event : record.trace) {
      if (event.kind != OpKind::kDirectoryRead) continue;
      const auto path = record.names.find(event.object);
      if (path != record.names.end()) folders_[path->second] = event.object;
    }
  }

  // That of the file which `event` acts on; 0: none.
  uint64_t changed_by(const TraceEvent& event) const {
    if (folders_.empty() || !changes_names(event.kind)) return 0;
    const auto path = record_.names.find(event.object);
    if (path == record_.names.end()) return 0;
    const std::string_view name = path->second;
    const size_t slash = name.rfind('/');
    const std::string_view parent = slash == name.npos ? "." : name.substr(0, slash);
    const auto folder = folders_.find(parent);
    return folder == folders_.end() ? 0 : folder->second;
  }

 private:
  const ExecutionRecord& record_;
  std::map<std::string, uint64_t, std::less<>> folders_;
};

// Operations that are equal but for their time, in this process's addresses.
struct Place {
  uint64_t site;
  uint64_t object;
  ThreadId client;
  bool operator==(const Place&) const = default;
};

struct PlaceHash {
  size_t operator()(const Place& place) const {
    return filter_key(place.client, place.site, place.object);
  }
};

using Places = std::unordered_set<Place, PlaceHash>;

Place place_of(const TraceEvent& event) {
  return {event.site, object_for_filter(event.kind, event.object), event.thread};
}

class Conflicts {
 public:
  Conflicts(const ExecutionRecord& record, size_t clients)
      : record_(record), order_(executed_order(record)), before_(record, order_) {
    collect_visits(clients);
  }

  // Object by object.
  Places find() {
    for (size_t first = 0; first < visits_.size();) {
      size_t end = first + 1;
      while (end < visits_.size() && visits_[end].object == visits_[first].object) ++end;
      look_at({visits_.data() + first, end - first});
      first = end;
    }
    return std::move(found_);
  }

 private:
  void collect_visits(size_t clients) {
    const ListedFolders folders(record_);
    visits_.reserve(order_.size());
    for (size_t i = 0; i < order_.size(); ++i) {
      const TraceEvent& event = record_.trace[order_[i]];
      const Use use = use_of(event.kind);
      if (event.thread >= clients || use == Use::kNone || event.object == 0) continue;
      visits_.push_back({event.object, before_.epoch(i), use, order_[i]});
      const uint64_t folder = folders.changed_by(event);
      if (folder == 0) continue;
      visits_.push_back({folder, before_.epoch(i), Use::kChanges, order_[i]});
    }
    std::ranges::sort(visits_, {}, &OrderedUse::object);
  }

  void look_at(std::span<const OrderedUse> visits) {
    const ThreadId first = visits.front().epoch.thread;
    const bool shared = std::ranges::any_of(
        visits, [&](const OrderedUse& visit) { return visit.epoch.thread != first; });
    if (!shared) return;
    bundles_.clear();
    for (const OrderedUse& visit : visits) bundle_of(visit);
    for (Bundle& one : bundles_) one.conflicts = conflicts_with_any(one);
    for (const OrderedUse& visit : visits) {
      if (bundle_of(visit).conflicts) found_.insert(place_of(record_.trace[visit.event]));
    }
  }

  // Few: epochs end only where threads wake each other.
  Bundle& bundle_of(const OrderedUse& visit) {
    const auto known =
        std::ranges::find_if(bundles_, [&](const Bundle& one) { return same(one, visit); });
    if (known != bundles_.end()) return *known;
    bundles_.push_back({visit.epoch, visit.use});
    return bundles_.back();
  }

  bool conflicts_with_any(const Bundle& one) const {
    return std::ranges::any_of(bundles_, [&](const Bundle& other) {
      const bool changed = one.use == Use::kChanges || other.use == Use::kChanges;
      return changed && before_.concurrent(one.epoch, other.epoch);
    });
  }

  const ExecutionRecord& record_;
  const std::vector<uint32_t> order_;
  const HappensBefore before_;
  std::vector<OrderedUse> visits_;
  std::vector<Bundle> bundles_;  // of the object at hand
  Places found_;
};

}  // namespace

void learn_conflicts(const ExecutionRecord& record, size_t clients, ConflictTable& table) {
  StableSites sites(record.modules);
  for (const Place& place : Conflicts(record, clients).find()) {
    const StableSite site = sites.of(place.site);
    if (site.module == 0 || table.size() >= kMostConflicts) continue;
    table.insert({site, place.object, place.client});
  }
}

std::vector<uint64_t> filter_keys(const ConflictTable& table, const std::vector<Module>& modules) {
  const StableSites sites(modules);
  std::vector<uint64_t> keys;
  keys.reserve(table.size());
  for (const ConflictSignature& one : table) {
    const std::optional<uint64_t> address = sites.address(one.site);
    if (address) keys.push_back(filter_key(one.client, *address, one.object));
  }
  return keys;
}

std::vector<double> share_offered(const ConflictTable& table, const ExecutionRecord& record,
                                  size_t clients) {
  const std::vector<uint64_t> keys = filter_keys(table, record.modules);
  const std::unordered_set<uint64_t> known(keys.begin(), keys.end());
  std::vector<uint64_t> all(clients, 0);
  std::vector<uint64_t> some(clients, 0);
  for (const TraceEvent& event : record.trace) {
    if (event.thread >= clients || (event.flags & kTraceOffered) == 0) continue;
    const Place place = place_of(event);
    const bool stays = is_always_offered(event.kind) || (event.flags & kTraceBlocked) != 0 ||
                       known.contains(filter_key(place.client, place.site, place.object));
    ++all[event.thread];
    some[event.thread] += stays;
  }
  std::vector<double> shares(clients, 1);
  for (size_t c = 0; c < clients; ++c) {
    if (all[c] > 0) shares[c] = static_cast<double>(some[c]) / static_cast<double>(all[c]);
  }
  return shares;
}

}  // namespace esox
