// SPDX-License-Identifier: Apache-2.0
// Which occurrences are one finding, as a function of what is known, whoever learnt it first.
//
// Two are one if they share a key of their signatures (signature.h), and so are those that others
// bring together; what people brought together is one, too (Bond). That is an equivalence: in
// whichever order hunts are recorded and stores are joined, the same findings come out. The names
// follow from the occurrences alone, too: the campaigns by the beginning of their first hunt, in
// each the occurrences by their ids. All shards of a campaign count as one hunt, so that it does
// not matter how the work was divided.
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
  std::vector<std::string> keys;  // none is empty
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
