// SPDX-License-Identifier: Apache-2.0
#include "analysis/contacts.h"

#include <xxhash.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "analysis/object_use.h"
#include "analysis/stable_sites.h"

namespace esox {
namespace {

using Visits = std::map<uint64_t, Use>;  // by site; the strongest use

void meet(const Visits& one, const Visits& other, std::set<Contact>& found) {
  for (const auto& [site, use] : one) {
    for (const auto& [other_site, other_use] : other) {
      if (use != Use::kChanges && other_use != Use::kChanges) continue;
      found.insert(contact_of(site, other_site));
    }
  }
}

}  // namespace

Contact contact_of(uint64_t a, uint64_t b) {
  const std::array<uint64_t, 2> pair = {std::min(a, b), std::max(a, b)};
  return static_cast<Contact>(XXH3_64bits(pair.data(), sizeof pair));
}

std::vector<Contact> contacts(const ExecutionRecord& record, size_t clients) {
  StableSites sites(record.modules);
  std::map<uint64_t, std::vector<Visits>> objects;  // [client]
  for (const TraceEvent& event : record.trace) {
    const Use use = use_of(event.kind);
    if (use == Use::kNone || is_release(event.kind)) continue;
    if (event.object == 0 || event.thread >= clients) continue;
    std::vector<Visits>& visits = objects[event.object];
    visits.resize(clients);
    Use& strongest = visits[event.thread][sites.hash(event.site)];
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
