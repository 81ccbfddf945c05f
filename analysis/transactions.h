// SPDX-License-Identifier: Apache-2.0
// Transactions of an execution, and the serial orders that it is compared with.
//
// Which requests belong together follows from what the server replied, not from the input's text: a
// deadlock ends a transaction in its middle, and what its client sends next is on its own. A
// transaction begins with the request after whose reply the session is in one, and ends with the
// one after whose reply it is not (Output::in_transaction), with an error that undoes all of it, or
// before a request that commits what is open (RequestLanguage).
//
// Where the input says that its sessions are at a level of whole transactions in serial order
// (`isolation_level: serializable`), the unit of such an order is the transaction: real time is
// kept between a unit's last reply and another's first request, and a unit that the server has
// undone is in no order. That another one was there to be waited for is asked first: a deadlock of
// a session with nobody is a fault (design after Adya, PL-3, and strict two-phase locking).
//
// At all other levels an order is one of requests, as it is where there are no transactions.
#pragma once

#include "analysis/execution_record.h"
#include "analysis/linearization.h"
#include "analysis/serial_run.h"
#include "inputs/input.h"

namespace esox {

// Whether transactions of this input are judged as wholes.
bool judges_transactions(const Input& input);

// Of an execution of this input, whose replies and stamps are there.
Units units_of(const Input& input, const ExecutionRecord& record);

// The requests of units that were undone, and so are in no order, and those that were left out of
// it; of the first none where orders are of requests.
RequestSet undone_requests(const Units& units);
// Those of the unit that `id` is the end of, if it was undone; `id` at least.
RequestSet undone_with(const Units& units, const RequestId& id);

// Serial orders that real time allows, without these requests.
Linearizations possible_orders(const ExecutionRecord& record, const RequestSet& without,
                               size_t limit = kDefaultOrderLimit);
// Whether `order` is one of them.
bool is_possible(const ExecutionRecord& record, const Order& order, const RequestSet& without);

}  // namespace esox
