// SPDX-License-Identifier: Apache-2.0
#include "targets/mariadb/state/components.h"

#include <array>

namespace esox {
namespace {

constexpr auto kContent = ComponentMeaning::kContent;
constexpr auto kDamage = ComponentMeaning::kDamage;
constexpr auto kDerived = ComponentMeaning::kDerived;

constexpr std::array<ComponentFacts, 20> kComponents = {{
    {.name = "tables", .meaning = kContent},
    {.name = "definition:*", .meaning = kContent, .has_keys = true},
    {.name = "rows:*", .meaning = kContent},
    {.name = "check:*", .meaning = kDamage, .ordered = true},
    {.name = "observation:*", .meaning = kDerived},
    {.name = "index:*", .meaning = kDamage},
    {.name = "answer:*", .meaning = kDerived, .has_keys = true},
    {.name = "query-cache:*", .meaning = kDamage, .has_keys = true},
    {.name = "query-cache-entries", .meaning = kDamage},
    {.name = "binlog", .meaning = kDerived, .ordered = true},
    {.name = "replayed-binlog", .meaning = kDamage},
    {.name = "replayed-binlog:*", .meaning = kDamage},
    {.name = "open-tables", .meaning = kDamage},
    {.name = "transactions", .meaning = kDamage},
    {.name = "key-blocks", .meaning = kDamage, .has_keys = true},
    {.name = "metadata-locks", .meaning = kDamage},
    {.name = "triggers", .meaning = kContent, .has_keys = true},
    {.name = "routines", .meaning = kContent, .has_keys = true},
    {.name = "events", .meaning = kContent, .has_keys = true},
    {.name = "files", .meaning = kDamage},
}};

}  // namespace

std::span<const ComponentFacts> mariadb_components() {
  return kComponents;
}

}  // namespace esox
