// SPDX-License-Identifier: Apache-2.0
// An interleaving as rows: what each client did, where the thread was switched.
//
// A finding keeps its trace as trace.txt (analysis/report/trace_text.h), a page of columns whose
// places stand in its line of titles. It is read back here by those places; a page that does not
// have that form is kept as a text and shown as one.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace esox {

struct InterleavingRow {
  enum class Kind { kOperation, kGap, kSwitch };
  Kind kind = Kind::kOperation;
  std::string point;         // of an operation
  size_t client = 0;         // the column it stands in
  std::string text;          // "lock mutex#1", "95 operations (points 7-101)", the switch in words
  std::string site;          // "THD::reset_killed+0x50"
  std::string from, to;      // of a switch: the clients' names
  bool could_go_on = false;  // of a switch
  bool critical = false;     // of a switch: the one that a diagnosis names
};

struct Interleaving {
  std::vector<std::string> clients;  // titles of the columns
  std::vector<InterleavingRow> rows;
  std::vector<std::string> objects;  // "mutex#20  query_cache+0x98"
  std::string text;                  // the page, if it could not be read as rows

  bool empty() const { return rows.empty() && text.empty(); }
};

Interleaving interleaving_from_text(const std::string& trace);

// The critical switch of a diagnosis, as its diagnosis.json tells it.
struct ToldSwitch {
  std::string from, to;
  std::string operation;  // "unlocked mutex#6"
  std::string site;       // "mariadbd+0xc03600"
};

// Marks the one switch that goes from and to these clients at this call site and operation. A
// diagnosis tells of a shorter schedule than the one recorded: if no switch here, or more than one,
// fits, none is marked. True if one was.
bool mark_critical(Interleaving& interleaving, const ToldSwitch& place);

// At most `most` rows: those around switches are kept, the rest become gaps. Critical first.
void shorten(Interleaving& interleaving, size_t most);

}  // namespace esox
