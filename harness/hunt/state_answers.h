// SPDX-License-Identifier: Apache-2.0
// What requests were answered in states of one input's row logs. Equal rows over the equal state
// after the setup give the same; so each question is asked once, and most executions of an input
// ask what was asked before.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <vector>

#include "summaries/row_log.h"

namespace esox {

class StateAnswers {
 public:
  using Ask = std::function<std::vector<StateAnswer>(const std::vector<StateQuestion>&)>;

  // An answer to each; `ask` is called with those that are not known, if there are any.
  std::vector<StateAnswer> to(const std::vector<StateQuestion>& questions, const Ask& ask);

 private:
  static constexpr size_t kMostKept = 2'000;  // then all are forgotten

  std::map<StateQuestion, StateAnswer> known_;
};

}  // namespace esox
