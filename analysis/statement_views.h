// SPDX-License-Identifier: Apache-2.0
// Whether each read of an execution saw a prefix of the commits, from the log of the rows
// that were written (summaries/row_log.h). No serial order is executed for it, and the states that
// replies are held against are made of rows, not by the transactions that are judged: a fault of
// views that shows in serial orders too does not hide. After Troc (W. Dou et al., "Detecting
// isolation bugs via transaction oracle construction", ICSE 2023), which runs one statement at a
// time; here they overlap.
//
// S(p) is the state after the setup with the rows of the first p logged units. A plain read of a
// transaction must be answered as by S(p), for some p, with all rows over it that its transaction
// wrote in requests before: as its own log has them, so columns of others that it has overwritten a
// row with count as its own.
//   - p is in the interval that real time leaves: the units whose commit was answered before the
//     view can have been opened are in, those whose commit was asked for after it must have been
//     are not.
//   - Under kStatementView each read has a p of its own, under kTransactionView and kSnapshot all
//     reads of a transaction have one. The view is opened by the transaction's first read, or by
//     START TRANSACTION WITH CONSISTENT SNAPSHOT. A read that is answered alike in all states need
//     not have opened it. What follows the undoing of a part of a transaction may have a view of
//     its own.
//   - A view that must have been opened before another one can have been has no larger p, whoever
//     they belong to: commits become visible in the order of the log.
//
// What locks rows, a write that looks for them too, is answered as by S(p) for a p of the time
// while it was answered, with its transaction's own rows: what it had read before its last lock
// nobody could change in between. Of a write the reply is how many rows it changed, executed anew.
//   - Locks are kept to the transaction's end: so when the last of its locking requests is
//   answered,
//     one p gives the replies of all of them.
//   - Under kSnapshot that is the view's: what has changed since cannot be locked.
//   - Under kStatementView the gaps between rows are not locked, and others may commit in the
//   middle
//     of it. If somebody may have, each row of its reply has to be of some p, where a row of the
//     reply follows from one row alone; else nothing is said.
//
// Which unit of the log is whose, and which of its statements is which request, follows from the
// log and the replies; where not all of it can be told, no read of the execution is judged. A read
// that is not judged is counted by the reason. Nothing is said of writes that look for no row.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "analysis/execution_record.h"
#include "analysis/masks.h"
#include "inputs/input.h"
#include "summaries/row_log.h"

namespace esox {

struct ViewVerdict {
  // fractured-read: a reply that no prefix gives; stale-read, early-read: one of before, of after
  // its interval; moving-view: reads of one transaction, of different prefixes; changed-under-lock:
  // the same, of locking reads. Empty: none.
  Anomaly anomaly;
  uint64_t judged = 0;                       // reads
  std::map<std::string, uint64_t> unjudged;  // reason -> reads
};

// As many answers as questions.
using AnswerQuestions = std::function<std::vector<StateAnswer>(const std::vector<StateQuestion>&)>;

// Whether views of this input's sessions can be judged: its level says so.
bool judges_views(const Input& input);

// Of an execution that has come to its end, and whose units are there. `masks`: where replies of
// serial runs are not the same twice, which says nothing here either.
ViewVerdict judge_views(const Input& input, const ExecutionRecord& record, const RowLog& log,
                        const AnswerQuestions& answer, const Masks& masks = {});

}  // namespace esox
