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
  std::sort(members.begin(), members.end(), [&](const GroupMember& a, const GroupMember& b) {
    return std::tie(begun.at(a.campaign), a.campaign, a.key.id, a.key.hunt) <
           std::tie(begun.at(b.campaign), b.campaign, b.key.id, b.key.hunt);
  });
}

// Files one member after the other. A finding is known by the place of its first member.
class Filing {
 public:
  Filing(const std::vector<GroupMember>& order, Sets bound)
      : order_(order), bound_(std::move(bound)), findings_(order.size()), paired_(order.size()) {}

  void file(size_t place) {
    const GroupMember& member = order_[place];
    const std::optional<size_t> known = finding_for(member);
    const auto [bound, first_of_bond] = placed_.try_emplace(bound_.first_of(place), place);
    paired_[place] = !member.critical.empty();
    if (known) unite(place, *known);
    if (!first_of_bond) unite(place, bound->second);
    by_plain_[member.plain].insert(place);
    if (!member.critical.empty()) by_critical_.try_emplace(member.critical, place);
  }

  size_t finding_of(size_t place) { return findings_.first_of(place); }

 private:
  std::optional<size_t> finding_for(const GroupMember& member) {
    const auto pair = by_critical_.find(member.critical);
    if (!member.critical.empty() && pair != by_critical_.end()) return pair->second;
    for (const size_t finding : findings_like(member.plain)) {
      if (member.critical.empty() || !paired_[finding]) return finding;
    }
    return std::nullopt;
  }

  // Of this plain signature, the oldest first.
  const std::set<size_t>& findings_like(const std::string& plain) {
    std::set<size_t>& places = by_plain_[plain];
    std::set<size_t> findings;
    for (const size_t place : places) findings.insert(findings_.first_of(place));
    return places = std::move(findings);
  }

  void unite(size_t one, size_t other) {
    const bool paired = paired_[findings_.first_of(one)] || paired_[findings_.first_of(other)];
    findings_.unite(one, other);
    paired_[findings_.first_of(one)] = paired;
  }

  const std::vector<GroupMember>& order_;
  Sets bound_;
  Sets findings_;
  std::vector<bool> paired_;         // by finding: whether some member has a critical pair
  std::map<size_t, size_t> placed_;  // by bond: its first member that was filed
  std::map<std::string, std::set<size_t>> by_plain_;
  std::map<std::string, size_t> by_critical_;
};

// Of the bond that was made last, the end that went into nothing else; in a circle, the first one.
size_t leader_of(const Group& group, const Places& places, const std::vector<Bond>& bonds) {
  std::set<size_t> left;  // went into another
  std::vector<std::pair<std::string, size_t>> reached;
  const auto is_in = [&](size_t place) {
    return std::binary_search(group.members.begin(), group.members.end(), place);
  };
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
  Sets bound(grouping.order.size());
  for (const Bond& bond : bonds) {
    const auto from = places.find(bond.from);
    const auto into = places.find(bond.into);
    if (from != places.end() && into != places.end()) bound.unite(from->second, into->second);
  }
  Filing filing(grouping.order, std::move(bound));
  for (size_t i = 0; i < grouping.order.size(); ++i) filing.file(i);
  std::map<size_t, Group> by_first;
  for (size_t i = 0; i < grouping.order.size(); ++i) {
    by_first[filing.finding_of(i)].members.push_back(i);
  }
  for (auto& [first, group] : by_first) {
    group.leads = leader_of(group, places, bonds);
    grouping.groups.push_back(std::move(group));
  }
  return grouping;
}

}  // namespace esox
