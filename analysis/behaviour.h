// SPDX-License-Identifier: Apache-2.0
// What an execution did, in numbers that are equal for executions that are alike: to count how many
// different ones there were.
//
// Two schedules are equivalent if they differ only in the order of operations that do not conflict
// (the Mazurkiewicz traces of Yuan, PhD thesis 2020, section 1.4). So a class is, for every object
// that several clients used and one changed, the sequence of the uses; uses that only read, with no
// change between them, have no order. Objects have none among each other, and no name: an address
// means nothing in the next execution.
//
// What the scheduler does not see - plain memory - is in no class: equivalent executions can still
// have two outcomes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "analysis/contacts.h"
#include "analysis/execution_record.h"
#include "analysis/masks.h"

namespace esox {

// A request, by the number of its thread and its own, both from 0; the threads' smaller first.
struct RequestPair {
  uint16_t thread = 0;
  uint16_t request = 0;
  uint16_t other_thread = 0;
  uint16_t other_request = 0;
  auto operator<=>(const RequestPair&) const = default;  // NOLINT(modernize-use-nullptr): false
};

// The same call sites whatever the clients are, so that inputs can be compared; and which of the
// sites came first, in the lowest bit. Of two equal sites it is none.
using OrderedContact = Contact;

// Two call sites that used one object right after each other, by different clients.
struct Meeting {
  uint64_t pair = 0;       // hash of both with their clients, whichever came first
  bool ascending = false;  // which came first
  OrderedContact sites = 0;
  RequestPair requests;
  auto operator<=>(const Meeting&) const = default;  // NOLINT(modernize-use-nullptr): false
};

struct Behaviour {
  uint64_t trace_class = 0;
  uint64_t outcome = 0;
  std::vector<Meeting> meetings;  // ascending, each once
};

// Places that differ between equal serial runs are not part of the outcome.
Behaviour behaviour_of(const ExecutionRecord& record, size_t clients, const Masks& masks);

}  // namespace esox
