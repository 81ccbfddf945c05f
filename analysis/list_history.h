// SPDX-License-Identifier: Apache-2.0
// What the transactions of an execution did to lists, where the input only appends to lists and
// reads them: of such an object every version can be told from a read, and from the last version
// all earlier ones (the list-append workload of K. Kingsbury and P. Alvaro, "Elle: inferring
// isolation anomalies from experimental observations", VLDB 2020).
//
// A list is a text of a head and elements, "k1,3,7": the setup gives it its head, which no other
// list has, and each request that appends gives it an element that no other request appends. What
// a request does is the language's to say (RequestLanguage::list_step); what came of it is read off
// the replies, and the last versions off the state that was left.
//
// Two more are told as lists:
//   - A register is a text "k1=3", of which others' writes leave nothing. A read, and the last
//     version, tell only the last element; so several orders of the versions may be possible, each
//     a history of lists (version_orders.h).
//   - A row of a table of sets (columns id and s) is changed by one request at most: it comes, goes
//     over to another set, or goes. That is a list to which nothing or its number was appended.
//     Who reads all rows of a set has read each row that may be of it, those too that he does not
//     find: there is the predicate of Adya's G2.
// A counter is none of them: two increments of it cannot be told apart. A list is a counter whose
// increments have names.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "analysis/execution_record.h"
#include "analysis/serial_run.h"
#include "inputs/input.h"

namespace esox {

using ListElement = uint64_t;

// One version of a list, seen in a reply.
struct ListRead {
  RequestId request;
  std::string list;  // its head
  std::vector<ListElement> elements;
  Stamp stamp;             // of the request
  bool current = false;    // of what is committed now, and kept so: a locking read
  bool predicate = false;  // a row that was looked for and not found
};

struct ListAppend {
  RequestId request;
  ListElement element = 0;
  ListUse use = ListUse::kAppends;  // or kWrites, kChangesRow
  std::string list = {};            // of a register or a row: its head
};

enum class UnitFate {
  kCommitted,
  kUndone,   // by the server or by its client
  kUnknown,  // it did not end, or a part of it was undone
};

// A transaction or a request on its own.
struct ListUnit {
  size_t client = 0;
  Unit unit;
  UnitFate fate = UnitFate::kCommitted;
  std::vector<ListRead> reads;  // in their order
  std::vector<ListAppend> appends;
  std::optional<Stamp> snapshot;  // of the request that takes its view of the others, if one does
  Stamp end;                      // of its last request, by which it takes effect
};

struct ListHistory {
  std::vector<ListUnit> units;
  std::map<std::string, std::vector<ListElement>> last;  // versions, by head
  std::map<ListElement, size_t> writer;  // of those appended with success: a place in `units`
  std::set<ListElement> known;           // of the setup and of all requests
  // Heads of those of whose versions only the last element is told, here and in reads.
  std::set<std::string> registers = {};
};

// nullopt: the input does not only append to lists and read them, or nothing is known of what was
// left. The record's units are there.
std::optional<ListHistory> list_history(const Input& input, const ExecutionRecord& record);

}  // namespace esox
