// SPDX-License-Identifier: Apache-2.0
// Anomalies between transactions, from who read whose version of which list (list_history.h): no
// serial order is executed for it, and no fault that the server has in serial orders too can hide
// one. After A. Adya, "Weak consistency: a generalized theory and optimistic implementations for
// distributed transactions" (PhD thesis, MIT, 1999), with the names that Elle uses.
//
// An edge U -> V says that U takes effect before V:
//   ww  V appends to a list after U        wr  V reads what U appended
//   rw  U reads a version that V's append replaces
//   rt  U's effect was answered for before V's was asked for: real time
// A cycle is an anomaly, named by the weakest edges that make one: G0 (ww), G1c (ww, wr), G-single
// (one rw), G2-item (more), with "-realtime" where it needs rt. G-nonadjacent: two or more rw, no
// two of them in a row. G2 in place of G2-item: one rw is of a row that was looked for and not
// found.
//
// What takes effect as one is what the level promises (Promise, inputs/request_language.h). Under
// kSerial it is the transaction. Under kTransactionView all plain reads of a transaction are one
// node, which takes effect when its view is taken, and all that it writes or reads for update is
// another one, later: locks are kept to the end. So a cycle is never a lost update or write skew,
// which such a level allows. A plain read of a list that its transaction has appended to shows the
// transaction's own version, and belongs to the second node. Under kStatementView each plain
// reading request is a node of its own. Under kSnapshot it is as under kTransactionView, and
// between whole transactions no cycle may be without two rw in a row (Adya's PL-SI). Under
// kDirtyReads reads say nothing.
//
// Before cycles: garbage (an element nobody appended), duplicate, lost (the append of a committed
// transaction is not in the last version), incompatible-order (a read version is no beginning of
// the last), internal (a transaction does not see its own append), G1a (what was undone is read),
// G1b (what its writer appended to further is read).
//
// Where several orders of a register's versions may be, an anomaly is one that all of them have,
// and named is that of the order with the least.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analysis/list_history.h"
#include "inputs/request_language.h"

namespace esox {

// The weakest that the promise forbids; without one, the weakest between whole transactions that
// it allows; empty: serializable. Client names are those of the input.
Anomaly find_anomaly(const ListHistory& history, Promise promise,
                     const std::vector<std::string>& client_names);

// Of this execution; nullopt: its input names no level, or it is no history of lists.
std::optional<Anomaly> anomaly_of(const Input& input, const ExecutionRecord& record);

// What a level of this promise forbids, as a list for people: "G0, G1a, ...".
const char* forbidden_anomalies(Promise promise);

// For people: that one transaction took effect before another, and what shows it.
struct Dependency {
  size_t from = 0;  // places in the history's units
  size_t to = 0;
  std::string kind;       // "ww", "wr", "rw", "real time"
  std::string shown_by;   // "A2 read a without 1, and B1 appended 1"
  bool of_cycle = false;  // of the anomaly
};

struct Dependencies {
  Anomaly anomaly;
  ListHistory history;
  std::vector<Dependency> edges;  // of real time those of the cycle alone

  bool is_concerned(size_t unit) const;  // it is in the cycle, or there is none
};

// What the anomaly of an execution is made of; nullopt: it has none, or none is known.
std::optional<Dependencies> dependencies_of(const Input& input, const ExecutionRecord& record);

}  // namespace esox
