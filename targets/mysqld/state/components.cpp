// SPDX-License-Identifier: Apache-2.0
#include "targets/mysqld/state/components.h"

namespace esox {
namespace {

constexpr auto kContent = ComponentMeaning::kContent;
constexpr auto kDamage = ComponentMeaning::kDamage;
constexpr auto kDerived = ComponentMeaning::kDerived;
constexpr auto kHeld = ComponentMeaning::kHeld;

constexpr ComponentFacts kComponents[] = {
    {.name = "tables", .meaning = kContent, .words = "the list of tables"},
    {.name = "tables:*", .meaning = kContent, .words = "the list of tables of "},
    {.name = "definition:*", .meaning = kContent, .has_keys = true, .words = "the definition of "},
    {.name = "rows:*", .meaning = kContent, .words = "the rows of "},
    {.name = "check:*", .meaning = kDamage, .ordered = true, .words = "CHECK TABLE of "},
    {.name = "observation:*", .meaning = kDerived, .words = "the observation "},
    {.name = "index:*", .meaning = kDamage, .words = "the index "},
    {.name = "answer:*",
     .meaning = kDerived,
     .has_keys = true,
     .words = "the answer when asked again, "},
    {.name = "query-cache:*",
     .meaning = kDamage,
     .has_keys = true,
     .words = "the query cache's answer to "},
    {.name = "query-cache-entries", .meaning = kDamage},
    {.name = "binlog", .meaning = kDerived, .ordered = true, .words = "the binary log"},
    {.name = "replayed-binlog", .meaning = kDamage, .words = "the binary log, replayed"},
    {.name = "replayed-binlog:*",
     .meaning = kDamage,
     .words = "what the binary log gives, replayed, of "},
    {.name = "open-tables", .meaning = kHeld},
    {.name = "transactions", .meaning = kDamage},
    {.name = "key-blocks", .meaning = kDamage, .has_keys = true},
    {.name = "metadata-locks", .meaning = kHeld},
    {.name = "triggers", .meaning = kContent, .has_keys = true},
    {.name = "routines", .meaning = kContent, .has_keys = true},
    {.name = "events", .meaning = kContent, .has_keys = true},
    {.name = "accounts", .meaning = kContent, .words = "the tables of accounts and rights"},
    {.name = "grants", .meaning = kContent, .words = "the rights that are enforced"},
    {.name = "reloaded-grants",
     .meaning = kDamage,
     .words = "the rights that are enforced, read again from the tables"},
    {.name = "dictionary", .meaning = kDamage, .words = "InnoDB's dictionary"},
    {.name = "files", .meaning = kDamage},
};

}  // namespace

std::span<const ComponentFacts> mysqld_components() {
  return kComponents;
}

}  // namespace esox
