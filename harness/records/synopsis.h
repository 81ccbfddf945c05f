// SPDX-License-Identifier: Apache-2.0
// A violation in a few lines, for someone who has never seen esox: the statements, what was
// expected, what was seen. All of it is in comparison.txt (analysis/report).
//
// Pure.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "analysis/execution_record.h"
#include "analysis/serial_run.h"
#include "analysis/verdict.h"
#include "inputs/input.h"
#include "summaries/outcome.h"

namespace esox {

// One line per request, "A1: SELECT a FROM t1"; at most `limit` lines, each at most 110 characters.
std::vector<std::string> statement_lines(const Input& input, size_t limit = 4);

// What is wrong, in at most four lines: where it is, what was expected, what was seen, how much
// more there is. `verdict` is a violation.
std::vector<std::string> explanation_lines(const Input& input, const ExecutionRecord& record,
                                           const Verdict& verdict);

// What is wrong in one line of at most 110 characters: the gravest difference (analysis/gravity.h)
// from the nearest serial order, "the reply to B1 (rows): (2) instead of (3)"; of what did not end,
// how it ended.
std::string headline(const Input& input, const ExecutionRecord& record, const Verdict& verdict);

// Which replies differed between equal serial runs, and how: "B1 (rows) in A1 B1: (7) in one run,
// (9) in another". Each request once, at most `limit` lines. The runs are of different dates.
std::vector<std::string> unequal_reply_lines(const Input& input, std::span<const SerialRun> runs,
                                             size_t limit = 3);

// "The answers are right, but the state left behind is wrong."
std::string class_in_words(VerdictClass verdict, bool latent);

// A component's name in words: "the rows of test.t1", where `server` has some for it.
std::string component_in_words(const std::string& name, const std::string& server);

// A reply in one line: "3 rows: (1) (2) (3)", "2 affected", "error 1146 (42S02): ...".
std::string reply_line(const Output& output);

}  // namespace esox
