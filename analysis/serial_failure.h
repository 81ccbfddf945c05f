// SPDX-License-Identifier: Apache-2.0
// What went wrong in a serial order: a crash, a deadlock, a hang, a reply that is none. It needs no
// concurrency, so that executions which end in the same way prove nothing about schedules; they
// are of a class of their own (VerdictClass::kSerial), by whatever schedule they came.
//
// A deadlock or a hang may be what the requests ask for: a session waits for what another one holds
// and never gives back (LOCK TABLES, an open transaction). Then nothing is wrong with the server,
// and nothing can be said of executions that end so: `may_wait_for_session`.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analysis/execution_record.h"
#include "analysis/symbols.h"
#include "inputs/input.h"

namespace esox {

struct SerialFailure {
  EndingKind ending = EndingKind::kFinished;  // kFinished: a reply was none
  std::string facts;  // as a cause names it (cause.h), a line each: "ending crash", "signal 11"
  bool may_wait_for_session = false;
  bool operator==(const SerialFailure&) const = default;
};

// Some client that came to its end, or got on before the others did not, may hold what they wait
// for.
bool may_wait_for_session(const Input& input, const ExecutionRecord& record);

// Of a serial execution; nullopt: nothing went wrong, or control was lost.
std::optional<SerialFailure> serial_failure(const Input& input, const ExecutionRecord& record,
                                            Symbols& symbols);

// The first of those that this execution went wrong like; null: none. Crashes are told apart by
// where they happened, since each is one whatever else is wrong; for the others the kind will do.
const SerialFailure* failure_like(const std::vector<SerialFailure>& failures, const Input& input,
                                  const ExecutionRecord& record, Symbols& symbols);

}  // namespace esox
