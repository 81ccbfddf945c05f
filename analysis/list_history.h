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
  Stamp stamp;           // of the request
  bool current = false;  // of what is committed now, and kept so: a locking read
};

struct ListAppend {
  RequestId request;
  ListElement element = 0;
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
};

// nullopt: the input does not only append to lists and read them, or nothing is known of what was
// left. The record's units are there.
std::optional<ListHistory> list_history(const Input& input, const ExecutionRecord& record);

}  // namespace esox
