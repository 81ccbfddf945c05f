// SPDX-License-Identifier: Apache-2.0
// Component binlog: the sequence of the binary log's events since begin(), with all removed that
// differs between equal histories. Not there where no binary log is written.
//
// P. Fonseca (Effective testing for concurrency bugs, 2015) takes the binary log as a sequence and
// hashes "the deterministic parts" of its elements. Left out here: positions and file names, server
// ids, numbers of GTIDs, of transactions (xid), threads and tables, and the events that only
// describe the log itself.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "summaries/component.h"
#include "targets/mysqld/state/batch.h"
#include "targets/mysqld/state/written_log.h"

namespace esox {

class BinaryLog {
 public:
  // Where the log stands now is where it begins.
  void begin(const Ask& own);

  // Whether one is written, as far as is known.
  bool on() const { return on_; }

  // Adds what can be asked at once. The batch must run before read().
  void ask(QuestionBatch& batch);

  // Asks for what is still missing, and gives the component.
  void read(const Ask& own, std::vector<Component>& components);

  // After read(): where its files have what was written since begin(); nothing where none is
  // written.
  const std::optional<LogSpan>& span() const { return span_; }

 private:
  void read_span(const std::vector<Row>& files);
  std::vector<Output> read_events(const Ask& own);

  bool on_ = false;
  std::string unknown_;  // why it is not known whether it is on; empty: known
  std::string file_;     // where the log stood at begin()
  std::string position_;
  Output files_;
  Output events_;  // of the file of begin(), from its position
  std::optional<LogSpan> span_;
};

// "Query: use `test`; INSERT ...", or nothing for an event that says nothing about the data.
// `type` and `info` are the columns Event_type and Info of SHOW BINLOG EVENTS.
std::optional<std::string> normalised_event(const std::string& type, const std::string& info);

}  // namespace esox
