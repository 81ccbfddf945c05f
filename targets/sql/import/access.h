// SPDX-License-Identifier: Apache-2.0
// What a statement reads and writes: tables, and what a server has beyond tables.
//
// An object is a kind and a name, "table:test.t1". Views and sequences are tables: they share the
// tables' names. The other kinds: routine, trigger, event, database, users, global, caches, logs;
// and of one connection alone: variable (user variables), prepared.
#pragma once

#include <string>
#include <vector>

namespace esox {

enum class AccessMode {
  kRead,
  kTouch,  // adds to something with many parts (a table to its database): two of them commute
  kWrite,
};

struct Access {
  std::string object;
  AccessMode mode = AccessMode::kRead;
  bool operator==(const Access&) const = default;
};

// Sorted by object, each object once, with its strongest mode.
using Accesses = std::vector<Access>;

void sort_accesses(Accesses& accesses);

// Two modes on one object whose order could matter: one writes, or one touches what another reads.
bool modes_conflict(AccessMode a, AccessMode b);

bool share_object(const Accesses& a, const Accesses& b);
bool conflict(const Accesses& a, const Accesses& b);

// Seen by no other connection: variable, prepared.
bool is_private(const Access& access);

bool is_table(const Access& access);

}  // namespace esox
