// SPDX-License-Identifier: Apache-2.0
// See contacts.h.
#include "analysis/contacts.h"

#include <xxhash.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <map>
#include <set>

namespace esox {
namespace {

enum class Use { kNone, kReads, kChanges };

Use use_of(OpKind kind) {
  switch (kind) {
    case OpKind::kReadLock:
    case OpKind::kTryReadLock:
    case OpKind::kFileRead:
    case OpKind::kFileOpen:
    case OpKind::kFileStat:
    case OpKind::kDirectoryRead:
      return Use::kReads;
    case OpKind::kMutexLock:
    case OpKind::kMutexTrylock:
    case OpKind::kWriteLock:
    case OpKind::kTryWriteLock:
    case OpKind::kSpinLock:
    case OpKind::kCondWait:
    case OpKind::kCondSignal:
    case OpKind::kCondBroadcast:
    case OpKind::kSemWait:
    case OpKind::kSemPost:
    case OpKind::kBarrierWait:
    case OpKind::kFileWrite:
    case OpKind::kFileRename:
    case OpKind::kFileRemove:
    case OpKind::kFileResize:
    case OpKind::kDirectoryMake:
      return Use::kChanges;
    default:
      return Use::kNone;
  }
}

// A site as module and offset, in 64 bits; equal for every load address.
class Sites {
 public:
  explicit Sites(const std::vector<Module>& modules) {
    for (const Module& one : modules) {
      const std::string name = std::filesystem::path(one.path).filename();
      places_.push_back({one.begin, one.end, one.load_base, XXH3_64bits(name.data(), name.size())});
    }
  }
  uint64_t stable(uint64_t site) const {
    for (const Place& one : places_) {
      if (site >= one.begin && site < one.end) return one.name ^ (site - one.load_base);
    }
    return 0;
  }

 private:
  struct Place {
    uint64_t begin, end, load_base, name;
  };
  std::vector<Place> places_;
};

using Visits = std::map<uint64_t, Use>;  // by site; the strongest use

Contact contact_of(uint64_t a, uint64_t b) {
  const std::array<uint64_t, 2> pair = {std::min(a, b), std::max(a, b)};
  return static_cast<Contact>(XXH3_64bits(pair.data(), sizeof pair));
}

void meet(const Visits& one, const Visits& other, std::set<Contact>& found) {
  for (const auto& [site, use] : one) {
    for (const auto& [other_site, other_use] : other) {
      if (use != Use::kChanges && other_use != Use::kChanges) continue;
      found.insert(contact_of(site, other_site));
    }
  }
}

}  // namespace

std::vector<Contact> contacts(const ExecutionRecord& record, size_t clients) {
  const Sites sites(record.modules);
  std::map<uint64_t, std::vector<Visits>> objects;  // [client]
  for (const TraceEvent& event : record.trace) {
    const Use use = use_of(event.kind);
    if (use == Use::kNone || event.object == 0 || event.thread >= clients) continue;
    std::vector<Visits>& visits = objects[event.object];
    visits.resize(clients);
    Use& strongest = visits[event.thread][sites.stable(event.site)];
    strongest = std::max(strongest, use);
  }
  std::set<Contact> found;
  for (const auto& [object, visits] : objects) {
    for (size_t a = 0; a < clients; ++a) {
      for (size_t b = a + 1; b < clients; ++b) meet(visits[a], visits[b], found);
    }
  }
  std::vector<Contact> all(found.begin(), found.end());
  if (all.size() > kMostContacts) all.resize(kMostContacts);
  return all;
}

}  // namespace esox
