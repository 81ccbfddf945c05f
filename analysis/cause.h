// SPDX-License-Identifier: Apache-2.0
// In which way did an execution break? Executions of one input with one cause are one finding.
//
// The cause names what broke, not the values that happened to come out: the class, which requests
// differ from the nearest serial order in which parts, which components differ how, which errors
// came. Row values, counts, points and seeds are left out, for they vary between executions of one
// bug. For a crash the signal and the top frames stand in; for a deadlock the kinds and sites of
// its wait-for cycle, sorted, since a cycle has no first member; for a hang who did not finish.
// The text is stable: the same execution gives it in any hunt, at any load address.
#pragma once

#include <string>
#include <vector>

#include "analysis/execution_record.h"
#include "analysis/symbols.h"
#include "analysis/verdict.h"

namespace esox {

struct Cause {
  std::string text;  // one line per fact
  std::string id;    // 16 hex digits, a hash of the text
};

// Of a violation. Client names are those of the input.
Cause cause_of(const ExecutionRecord& record, const Verdict& verdict, Symbols& symbols,
               const std::vector<std::string>& client_names);

// How an execution ended, as causes tell it: of one that did not finish, and for one that did,
// which replies were none.
std::string ending_facts(const ExecutionRecord& record, Symbols& symbols,
                         const std::vector<std::string>& client_names);

// Of an execution that went wrong as a serial order does, too (serial_failure.h).
Cause serial_cause(const std::string& facts);

// Cause::id of a text.
std::string cause_id(const std::string& text);

// 16 hex digits; what names a finding's folder.
std::string finding_id(const std::string& input_id, const std::string& engine, const Cause& cause);

}  // namespace esox
