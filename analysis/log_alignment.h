// SPDX-License-Identifier: Apache-2.0
// Whose a logged unit is, and which request each of its statements: the log says which client's it
// is and how each statement read, the replies say which requests have written rows.
//
// A transaction that was committed is in the log once if one of its requests has changed rows (its
// reply counts them), else not at all; one that was undone is not there; of one that was undone in
// part (a savepoint) there is what was left. Whatever else is found there is none of what is known
// here, and then nothing is said of any.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "analysis/execution_record.h"
#include "analysis/serial_run.h"
#include "inputs/input.h"
#include "summaries/row_log.h"

namespace esox {

using ViewSteps = std::vector<std::vector<ViewStep>>;  // [client][request]
ViewSteps view_steps_of(const Input& input);

struct LoggedWrite {
  const StatementRows* statement = nullptr;
  size_t unit = 0;  // of the log
};

struct AlignedLog {
  std::string failure;         // why it cannot be told; empty: all of it is
  std::vector<Stamp> commits;  // of the logged units: somewhere in between each took effect
  std::map<RequestId, LoggedWrite> writes;  // of requests, as far as they are logged
};

// What it gives points into `log`. The record's units are there.
AlignedLog align(const Input& input, const ExecutionRecord& record, const RowLog& log);

// Whether the reply says that the request has changed rows.
bool wrote_rows(const ViewStep& step, const Output& reply);

}  // namespace esox
