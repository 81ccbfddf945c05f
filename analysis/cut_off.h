// SPDX-License-Identifier: Apache-2.0
// Requests whose reply was cut off, because another client ended their connection: operations that
// are pending for good.
//
// Such a request may have taken effect, or not, and nobody was told: by the definition (M. Herlihy
// and J. Wing, Linearizability, 1990, section 2.2) it may be given any response, or be left out.
// Left out it is in the serial orders in which its connection ends first; in one that answers it,
// this reply is any.
//
// A connection that ends though no serial order ends it is a fault. So a missing reply is one that
// was cut off only if it is missing in some serial order, too, or the server was to end
// (ended_server.h). What a client had still to send is none: it was never asked for.
#pragma once

#include <span>

#include "analysis/execution_record.h"
#include "analysis/serial_run.h"

namespace esox {

RequestSet cut_off_requests(const ExecutionRecord& record, std::span<const SerialRun> runs);

}  // namespace esox
