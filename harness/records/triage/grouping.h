// SPDX-License-Identifier: Apache-2.0
// Which occurrences are one finding, as a function of what is known, whoever learnt it first.
//
// While hunts come one after the other, each files its occurrences among the findings that are
// there (store.h). Stores that grew apart, and are joined in any order, must come to one and the
// same: so there all occurrences are filed anew, by the same rules, in an order that follows from
// them alone - the campaigns by the beginning of their first hunt, in each the occurrences by their
// ids. All shards of a campaign count as one hunt, so that it does not matter how the work was
// divided. What people brought together stays together (Bond).
//
// The rules: an occurrence with a critical pair goes to the oldest finding with the same pair; else
// to the oldest with the same plain signature that has no pair at all; else it opens one. One
// without a pair goes to the oldest finding with the same plain signature; else it opens one.
//
// Pure.
#pragma once

#include <compare>
#include <cstddef>
#include <string>
#include <vector>

namespace esox {

struct OccurrenceKey {
  std::string hunt;
  std::string id;
  auto operator<=>(const OccurrenceKey&) const = default;  // NOLINT(modernize-use-nullptr): false
};

struct GroupMember {
  std::string campaign;  // of a hunt that is no shard: the hunt
  std::string started;   // of the hunt
  OccurrenceKey key;
  std::string plain;
  std::string critical;  // empty: none
};

// People said that these are one, and of whom the finding has its name.
struct Bond {
  OccurrenceKey from;
  OccurrenceKey into;
  std::string at;
  auto operator<=>(const Bond&) const = default;  // NOLINT(modernize-use-nullptr): false
};

struct Group {
  std::vector<size_t> members;  // places in `order`, ascending
  size_t leads = 0;             // the one of which it has its name
};

struct Grouping {
  std::vector<GroupMember> order;
  std::vector<Group> groups;  // by their first members
};

// No key twice. Bonds whose ends are not among the members bind nothing.
Grouping group(std::vector<GroupMember> members, const std::vector<Bond>& bonds);

}  // namespace esox
