// SPDX-License-Identifier: Apache-2.0
// Errors that a concurrent execution may return in place of another answer (filters, kind
// `tolerate`), be it in a row, as servers do that go through a list.
//
// A deadlock or a lock wait that times out is the server's way to say "not now, try again": no
// serial order gives it, and yet it is no fault, provided that nothing was done. So the execution
// is compared with serial orders WITHOUT the requests that failed so, and these are executed for
// real, like any serial order (SerialRun::without): all other replies and the whole state must be
// those of one of them. Such an order can only explain an execution; it makes one a violation where
// no order of all requests can be executed, and no other order without these explains it.
//
// All tolerated requests are left out together, each with what its error undid (a deadlock ends
// InnoDB's whole transaction, transactions.h) and with the requests right after it that ask what
// came of it (SHOW WARNINGS).
#pragma once

#include <span>

#include "analysis/execution_record.h"
#include "analysis/forgiveness.h"
#include "analysis/serial_run.h"

namespace esox {

// The requests that returned an error which a rule tolerates, which they return in none of these
// serial runs. In place of another error, too: who gave up, or was killed, has come to none.
RequestSet tolerated_requests(const ExecutionRecord& record, std::span<const SerialRun> runs,
                              const Forgiveness& forgiveness);

}  // namespace esox
