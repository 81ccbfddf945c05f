// SPDX-License-Identifier: Apache-2.0
// What runs inside the server:
//   triggers  map  by name: "BEFORE INSERT ON t1, number 2: SET ..."; without a number the first
//   routines  map  "PROCEDURE p1": parameters, what it returns, its body
//   events    map  by name: status, interval, what it does
// of all databases but the server's own, triggers of `test` alone; with the name of the database
// where it is not `test`. Read from the server's own tables, where it has them: that is less work
// for it than information_schema. When they were made, last changed, run or to be run next is left
// out.
#pragma once

#include <vector>

#include "summaries/component.h"
#include "targets/mysqld/state/batch.h"

namespace esox {

class Programs {
 public:
  // Learns where they are kept.
  void begin(const Ask& own);
  void ask(QuestionBatch& batch);
  void read(std::vector<Component>& components) const;

 private:
  Component triggers() const;

  const char* ask_routines_ = nullptr;
  const char* ask_events_ = nullptr;
  Output triggers_;
  Output routines_;
  Output events_;
};

}  // namespace esox
