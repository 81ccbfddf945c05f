// SPDX-License-Identifier: Apache-2.0
// Executes the steps of a serial graph on a real server: each as an execution of its own, of the
// requests of its prefix and one more.
//
// A snapshot of the state after each prefix would save executing the prefix again. It would also
// cost more than the few requests it saves: parking and forking a server takes as long as some ten
// short requests, and each kept snapshot holds memory. So the prefix is executed again, from the
// one snapshot of the input, and the number of serial executions is what matters.
#pragma once

#include <functional>
#include <string>
#include <utility>

#include "analysis/serial_graph.h"
#include "inputs/input.h"

namespace esox {

// One execution of one serial order, or of the beginning of one.
struct SerialExecution {
  Outcome outcome;
  std::string infeasible;  // why the order cannot be executed to its end
  bool given_up = false;   // infeasible, as far as somebody impatient can say
  bool transient = false;  // degraded: says nothing about the order
};

// What sessions hold beyond what tables show.
struct KeptBySessions {
  std::string text;          // equal texts may be exchanged
  bool by_requests = false;  // which ones were executed, in their order, whatever the tables show
};

// Which prefixes over the same requests are one state.
enum class Merging {
  kEqual,  // whose summaries and sessions are equal
  kNone    // none: something may differ that no summary tells
};

class PrefixStepper final : public SerialStepper {
 public:
  // Executes these requests, under a date shifted by so much. Where only the replies are wanted the
  // state need not be asked for: in a session that holds locks or a transaction each question about
  // it may wait for them.
  using Execute = std::function<SerialExecution(const Order&, int64_t shift_ns, bool replies_only)>;

  // `input` must outlive the stepper. `shift_ns` is between the two dates of each step.
  PrefixStepper(const Input& input, int64_t shift_ns, Merging merging = Merging::kEqual)
      : input_(input), shift_ns_(shift_ns), merging_(merging) {}

  // In place of session_state().
  using TellSessions = std::function<KeptBySessions(const Order&)>;
  void tell_sessions_by(TellSessions tell) { tell_sessions_ = std::move(tell); }

  void execute_with(Execute execute) { execute_ = std::move(execute); }
  SerialStep step(const Order& prefix, uint16_t client) override;

 private:
  KeptBySessions session_after(const Order& order) const;
  size_t all_requests() const;

  const Input& input_;
  int64_t shift_ns_;
  Merging merging_;
  TellSessions tell_sessions_;
  Execute execute_;
};

// Whether the serial orders of `input` can be executed step by step. Not so where clients are given
// unique numbers: a client holds on to the last one, and they are named by their place among all
// replies (summaries/identities.h), so that those of a beginning have other names.
bool has_steps(const Input& input);

// After `order`. By requests where a transaction is open, or a session keeps variables, temporary
// tables, prepared statements or locks: but for those of which only their own session can tell when
// they were executed (a savepoint; BEGIN, for a view is opened by what reads first).
KeptBySessions session_state(const Input& input, const Order& order);

}  // namespace esox
