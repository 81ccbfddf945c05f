// SPDX-License-Identifier: Apache-2.0
#include "harness/records/triage/grouping.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <optional>
#include <set>
#include <tuple>

namespace esox {
namespace {

// Who is one with whom; the least of each set stands for it.
class Sets {
 public:
  explicit Sets(size_t size) : above_(size) { std::iota(above_.begin(), above_.end(), size_t{0}); }

  size_t first_of(size_t one) {
    while (above_[one] != one) one = above_[one] = above_[above_[one]];
    return one;
  }
  void unite(size_t one, size_t other) {
    const size_t a = first_of(one);
    const size_t b = first_of(other);
    above_[std::max(a, b)] = std::min(a, b);
  }

 private:
  std::vector<size_t> above_;
};

using Places = std::map<OccurrenceKey, size_t>;

void put_in_order(std::vector<GroupMember>& members) {
  std::map<std::string, std::string> begun;  // by campaign
  for (const GroupMember& one : members) {
    const auto [known, fresh] = begun.try_emplace(one.campaign, one.started);
    if (!fresh) known->second = std::min(known->second, one.started);
  }
  std::ranges::sort(members, [&](const GroupMember& a, const GroupMember& b) {
    return std::tie(begun.at(a.campaign), a.campaign, a.key.id, a.key.hunt) <
           std::tie(begun.at(b.campaign), b.campaign, b.key.id, b.key.hunt);
  });
}

// Of the bond that was made last, the end that went into nothing else; in a circle, the first one.
size_t leader_of(const Group& group, const Places& places, const std::vector<Bond>& bonds) {
  std::set<size_t> left;  // went into another
  std::vector<std::pair<std::string, size_t>> reached;
  const auto is_in = [&](size_t place) { return std::ranges::binary_search(group.members, place); };
  for (const Bond& bond : bonds) {
    const auto from = places.find(bond.from);
    const auto into = places.find(bond.into);
    if (from == places.end() || into == places.end() || !is_in(into->second)) continue;
    left.insert(from->second);
    reached.emplace_back(bond.at, into->second);
  }
  std::optional<std::pair<std::string, size_t>> best;
  for (const auto& one : reached) {
    if (left.contains(one.second)) continue;
    const bool better =
        !best || one.first > best->first || (one.first == best->first && one.second < best->second);
    if (better) best = one;
  }
  return best ? best->second : group.members.front();
}

}  // namespace

Grouping group(std::vector<GroupMember> members, const std::vector<Bond>& bonds) {
  Grouping grouping;
  put_in_order(members);
  grouping.order = std::move(members);
  Places places;
  for (size_t i = 0; i < grouping.order.size(); ++i) places.emplace(grouping.order[i].key, i);
  Sets findings(grouping.order.size());
  std::map<std::string, size_t> first_with;  // a key
  for (size_t i = 0; i < grouping.order.size(); ++i) {
    for (const std::string& key : grouping.order[i].keys) {
      findings.unite(first_with.emplace(key, i).first->second, i);
    }
  }
  for (const Bond& bond : bonds) {
    const auto from = places.find(bond.from);
    const auto into = places.find(bond.into);
    if (from != places.end() && into != places.end()) findings.unite(from->second, into->second);
  }
  std::map<size_t, Group> by_first;
  for (size_t i = 0; i < grouping.order.size(); ++i) {
    by_first[findings.first_of(i)].members.push_back(i);
  }
  for (auto& [first, group] : by_first) {
    group.leads = leader_of(group, places, bonds);
    grouping.groups.push_back(std::move(group));
  }
  return grouping;
}

}  // namespace esox
