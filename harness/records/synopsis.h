// SPDX-License-Identifier: Apache-2.0
// A violation in a few lines, for someone who has never seen esox: the statements, what was
// expected, what was seen. All of it is in comparison.txt (analysis/report).
//
// Pure.
#pragma once

#include <string>
#include <vector>

#include "analysis/execution_record.h"
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

// "The answers are right, but the state left behind is wrong."
std::string class_in_words(VerdictClass verdict, bool latent);

// A component's name in words: "the rows of test.t1", where `server` has some for it.
std::string component_in_words(const std::string& name, const std::string& server);

// A reply in one line: "3 rows: (1) (2) (3)", "2 affected", "error 1146 (42S02): ...".
std::string reply_line(const Output& output);

}  // namespace esox
