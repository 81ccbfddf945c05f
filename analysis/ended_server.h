// SPDX-License-Identifier: Apache-2.0
// Executions in whose midst a signal ends the server.
//
// What clients saw is compared with serial orders that an end of an idle server follows; the state,
// there and here, is what a server has that is started on the data left behind. So the signal is in
// no order. Nor is what a client had still to send. A request in the midst of which its connection
// ended is pending for good (cut_off.h): it may have taken effect, so that it is in the order and
// its reply any, or not, so that it is left out. Each of them is tried both ways (Judge).
#pragma once

#include <vector>

#include "analysis/execution_record.h"
#include "inputs/input.h"

namespace esox {

// The signal of the input by which its server ends; none if it does not.
RequestSet ending_signal(const Input& input);

// Of an execution of this input, whose replies and stamps are there: sets `server_ends` and
// `left_out`, but not what was cut off.
void leave_out_unserved(const Input& input, const ExecutionRecord& record, Units& units);

// Each set of one or more of these: what may be left out besides.
std::vector<RequestSet> choices_of(const RequestSet& cut_off);

}  // namespace esox
