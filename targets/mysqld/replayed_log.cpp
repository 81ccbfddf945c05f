// SPDX-License-Identifier: Apache-2.0
// What the binary log says against what the tables hold.
//   replayed-binlog         multiset  where replaying it ends early; tables that only one side has
//   replayed-binlog:test.t  multiset  where the table differs from the one that the log gives
//
// What a replica of the server would hold if it had followed the execution from the setup on: when
// the log's order is not that in which transactions took effect, the replica goes astray without a
// word. No element: the two agree. AUTO_INCREMENT counters are no part of it, for a log does not
// carry numbers that were taken and not used.
//
// In some histories the two differ by right: statements of which the manual says that they are
// unsafe for statement-based logging, tables changed with sql_log_bin = 0. They then differ after
// the serial orders as well, with which these components are compared like all others.

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <string_view>
#include <utility>

#include "targets/mysqld/state/components.h"
#include "targets/mysqld/state/replies.h"
#include "targets/mysqld/state/tables.h"
#include "targets/mysqld/target.h"

namespace esox {
namespace {

constexpr const char* kName = "replayed-binlog";
constexpr const char* kOnlyReal = "only in the server";
constexpr const char* kOnlyReplayed = "only by the binary log";
constexpr std::string_view kRows = "rows:";
constexpr std::string_view kDefinition = "definition:";

struct Sides {
  const Component* real;
  const Component* replayed;
};

Sides sides_of(const std::string& name, const StateSummary& real, const StateSummary& replayed) {
  return {real.find(name), replayed.find(name)};
}

// False if there is nothing to compare: then the builder knows why.
bool are_there(const Sides& sides, ComponentBuilder& builder) {
  for (const Component* side : {sides.real, sides.replayed}) {
    if (side == nullptr) {
      builder.fail("one side was not read");
      return false;
    }
    if (!side->unavailable.empty()) builder.fail(side->unavailable);
  }
  return sides.real->unavailable.empty() && sides.replayed->unavailable.empty();
}

std::vector<std::string> values_of(const Component& component, std::string_view without_key) {
  std::vector<std::string> values;
  for (const Element& element : component.elements) {
    if (element.key.empty() || element.key != without_key) values.push_back(element.value);
  }
  std::ranges::sort(values);
  return values;
}

bool is_whole(const Component& component) {
  return component.elements.size() == component.count;
}

// `what`: "" or "definition ". Elements with this key do not count.
void add_differences(const Sides& sides, const std::string& what, std::string_view without_key,
                     ComponentBuilder& builder) {
  if (!are_there(sides, builder) || sides.real->digest == sides.replayed->digest) return;
  if (!is_whole(*sides.real) || !is_whole(*sides.replayed)) {
    builder.add(Element{
        "too many to list",
        fmt::format("{} ({}), by the binary log {} ({})", sides.real->count,
                    hex(sides.real->digest), sides.replayed->count, hex(sides.replayed->digest))});
    return;
  }
  const std::vector<std::string> real = values_of(*sides.real, without_key);
  const std::vector<std::string> replayed = values_of(*sides.replayed, without_key);
  add_those_only_in(real, replayed, what + kOnlyReal, builder);
  add_those_only_in(replayed, real, what + kOnlyReplayed, builder);
}

// False if nothing was replayed: then the builder knows why.
bool was_replayed(const ReplayedLog& replayed, ComponentBuilder& builder) {
  if (!replayed.unavailable.empty()) builder.fail(replayed.unavailable);
  if (replayed.gone) {
    builder.add(Element{"not replayed", "the log does not reach back to the setup any more"});
  }
  return replayed.unavailable.empty() && !replayed.gone;
}

Component compare_all(const StateSummary& real, const ReplayedLog& replayed) {
  ComponentBuilder builder(kName, ComponentKind::kMultiset);
  if (was_replayed(replayed, builder)) {
    if (!replayed.stopped.empty()) builder.add(Element{"stopped", replayed.stopped});
    add_differences(sides_of(kTableList, real, replayed.tables), "", "", builder);
    for (const Component& one : real.components) {
      if (!one.name.starts_with(kTableListOf)) continue;
      const Component none = no_such_database(one.name.substr(std::strlen(kTableListOf)));
      const Component* there = replayed.tables.find(one.name);
      add_differences({&one, there != nullptr ? there : &none}, "", "", builder);
    }
  }
  return std::move(builder).build();
}

Component compare_table(const std::string& table, const StateSummary& real,
                        const ReplayedLog& replayed) {
  ComponentBuilder builder(fmt::format("{}:{}", kName, table), ComponentKind::kMultiset);
  if (!was_replayed(replayed, builder)) return std::move(builder).build();
  const Sides rows = sides_of(std::string(kRows) + table, real, replayed.tables);
  if (rows.replayed == nullptr) {
    builder.add(Element{kOnlyReal, "the table"});
    return std::move(builder).build();
  }
  add_differences(sides_of(std::string(kDefinition) + table, real, replayed.tables), "definition ",
                  "auto_increment", builder);
  add_differences(rows, "", "", builder);
  return std::move(builder).build();
}

}  // namespace

// `real` is the state of the server that wrote the log; `replayed` has the components tables,
// definition:... and rows:... of what it gives (log_replay.cpp).
//
// The same components whatever came of the replay: one that is not there would differ, where the
// truth is that nothing is known.
std::vector<Component> MysqldTarget::compare_with_replayed(const StateSummary& real,
                                                           const ReplayedLog& replayed) const {
  std::vector<Component> components;
  components.push_back(compare_all(real, replayed));
  for (const Component& component : real.components) {
    if (!component.name.starts_with(kRows)) continue;
    components.push_back(compare_table(component.name.substr(kRows.size()), real, replayed));
  }
  set_meanings(components, mysqld_components());
  return components;
}

}  // namespace esox
